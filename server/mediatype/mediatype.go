// Package mediatype tells the media type of a file by its name. The table is
// in the binary: the host's own MIME files would make answers, and instruction
// counts, differ from machine to machine.
package mediatype

import "cmp"

// Unknown is the type of a file whose name says nothing (RFC 9110 §8.3).
const Unknown = "application/octet-stream"

// ByName tells the type by the part of name after its last dot, in any case.
// Text types carry charset=utf-8. The types are those registered with IANA.
func ByName(name string) string {
	var buf [16]byte
	ext := string(extension(buf[:0], name))
	return cmp.Or(text(ext), picture(ext), sound(ext), binary(ext), Unknown)
}

// extension appends the lower-case extension without its dot, or nothing if
// there is none that fits.
func extension(dst []byte, name string) []byte {
	for i := len(name) - 1; i >= 0 && name[i] != '/'; i-- {
		if name[i] != '.' {
			continue
		}
		ext := name[i+1:]
		if len(ext) > cap(dst) {
			return dst
		}
		for _, c := range []byte(ext) {
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			dst = append(dst, c)
		}
		return dst
	}
	return dst
}

func text(ext string) string {
	switch ext {
	case "html", "htm":
		return "text/html; charset=utf-8"
	case "css":
		return "text/css; charset=utf-8"
	case "js", "mjs", "cjs":
		return "text/javascript; charset=utf-8" // RFC 9239
	case "json", "map":
		return "application/json"
	case "jsonld":
		return "application/ld+json"
	case "webmanifest":
		return "application/manifest+json"
	case "txt", "text", "log":
		return "text/plain; charset=utf-8"
	case "md", "markdown":
		return "text/markdown; charset=utf-8"
	case "csv":
		return "text/csv; charset=utf-8"
	case "xml", "xsl":
		return "text/xml; charset=utf-8"
	case "xhtml":
		return "application/xhtml+xml"
	case "atom":
		return "application/atom+xml"
	case "rss":
		return "application/rss+xml"
	case "ics":
		return "text/calendar; charset=utf-8"
	case "vtt":
		return "text/vtt; charset=utf-8"
	case "vcf":
		return "text/vcard; charset=utf-8"
	case "yaml", "yml":
		return "application/yaml" // RFC 9512
	case "toml":
		return "application/toml"
	}
	return ""
}

func picture(ext string) string {
	switch ext {
	case "png":
		return "image/png"
	case "apng":
		return "image/apng"
	case "jpg", "jpeg":
		return "image/jpeg"
	case "gif":
		return "image/gif"
	case "webp":
		return "image/webp"
	case "avif":
		return "image/avif"
	case "jxl":
		return "image/jxl"
	case "svg":
		return "image/svg+xml"
	case "ico":
		return "image/vnd.microsoft.icon"
	case "bmp":
		return "image/bmp"
	case "tif", "tiff":
		return "image/tiff"
	case "heic":
		return "image/heic"
	}
	return ""
}

func sound(ext string) string {
	switch ext {
	case "mp3":
		return "audio/mpeg"
	case "m4a":
		return "audio/mp4"
	case "ogg", "oga", "opus":
		return "audio/ogg"
	case "flac":
		return "audio/flac"
	case "wav":
		return "audio/wav"
	case "aac":
		return "audio/aac"
	case "mp4", "m4v":
		return "video/mp4"
	case "webm":
		return "video/webm"
	case "ogv":
		return "video/ogg"
	case "mov":
		return "video/quicktime"
	case "mkv":
		return "video/matroska"
	}
	return ""
}

func binary(ext string) string {
	switch ext {
	case "wasm":
		return "application/wasm"
	case "pdf":
		return "application/pdf"
	case "zip":
		return "application/zip"
	case "gz", "tgz":
		return "application/gzip"
	case "zst":
		return "application/zstd" // RFC 8878
	case "tar":
		return "application/x-tar"
	case "xz":
		return "application/x-xz"
	case "bz2":
		return "application/x-bzip2"
	case "7z":
		return "application/x-7z-compressed"
	case "epub":
		return "application/epub+zip"
	case "woff":
		return "font/woff"
	case "woff2":
		return "font/woff2"
	case "ttf":
		return "font/ttf"
	case "otf":
		return "font/otf"
	case "eot":
		return "application/vnd.ms-fontobject"
	case "jar":
		return "application/java-archive"
	case "bin", "exe", "dll", "iso", "img", "dmg", "deb", "rpm":
		return Unknown
	}
	return ""
}
