package core

import (
	"html"
	"sort"
	"strings"

	"github.com/perfpin/perfpin/server/rootfs"
	"github.com/perfpin/perfpin/server/urlpath"
)

// answerListing answers with the names in a directory that could be asked
// for, directories first.
func (s *Site) answerListing(req *Request, resp *Response, path, name string) {
	entries, err := s.root.ReadDir(name)
	if err != nil {
		s.fail(req, resp, name, err)
		return
	}
	var page strings.Builder
	title := html.EscapeString(path)
	page.WriteString("<!doctype html>\n<meta charset=\"utf-8\">\n<title>" + title + "</title>\n<h1>" + title + "</h1>\n<ul>\n")
	if path != "/" {
		page.WriteString("<li><a href=\"../\">../</a>\n")
	}
	for _, n := range s.listedNames(entries) {
		// "./" keeps a name with a colon from being read as a scheme.
		href := "./" + string(urlpath.Escape(nil, []byte(n)))
		page.WriteString("<li><a href=\"" + href + "\">" + html.EscapeString(n) + "</a>\n")
	}
	page.WriteString("</ul>\n")
	body := []byte(page.String())
	body = append(body, s.config.Inject...)

	head := appendStatus(resp.scratch[:0], 200)
	head = appendField(head, "Content-Type", "text/html; charset=utf-8")
	head = appendLength(head, int64(len(body)))
	resp.Status, resp.Head, resp.scratch = 200, head, head
	if req.Method != "HEAD" {
		resp.Body = body
	}
}

// listedNames gives the names that a request could have, directories with
// their slash.
func (s *Site) listedNames(entries []rootfs.Entry) []string {
	var dirs, files []string
	for _, e := range entries {
		var buf []byte
		escaped := urlpath.Escape([]byte("/"), []byte(e.Name))
		if _, err := s.rules.Resolve(buf, string(escaped)); err != nil {
			continue
		}
		switch e.Info.Kind {
		case rootfs.Directory:
			dirs = append(dirs, e.Name+"/")
		case rootfs.Regular:
			files = append(files, e.Name)
		}
	}
	sort.Strings(dirs)
	sort.Strings(files)
	return append(dirs, files...)
}
