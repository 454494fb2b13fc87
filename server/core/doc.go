// Package core answers requests for the files below one directory. It has no
// socket and starts no goroutine: a front end reads a request, calls
// Site.Handle, and writes what the Response says.
//
// # Driving a Site
//
// One Request and one Response are kept for each connection (or each worker)
// and used again and again; then a cached answer allocates nothing.
//
//	site, err := core.Open(root, core.Defaults())
//	var req core.Request
//	var resp core.Response
//	for each request on the connection {
//		req = core.Request{Method: …, Target: …, AcceptEncoding: …}
//		site.Handle(&req, &resp)
//		write(resp.Head, date, "\r\n", resp.Body)  // one writev
//		if resp.Section.Length > 0 {
//			sendfile(conn, resp.Section.FD(), resp.Section.Offset, resp.Section.Length)
//		}
//		resp.Release()
//	}
//
// # What the front end does
//
//   - It frames the request and discards its body; a Site reads no body.
//   - It fills the Request with field values without surrounding white space.
//     Several lines of one field are joined with ", " in their order (RFC 9110
//     §5.3). The strings may point into a read buffer: a Site keeps none of
//     them after Handle returns.
//   - It adds to Head: Date, Connection where it is needed, and the blank line.
//     Head ends in CRLF and has the status line of HTTP/1.1, which a server
//     also sends to an HTTP/1.0 client (RFC 9110 §2.5).
//   - Head and Body belong to the cache and are shared between connections:
//     they are never written to. They stay valid until Release.
//   - A Section that yields fewer bytes than its Length, or that Intact
//     refuses before the last byte is sent, belongs to a file that changed
//     meanwhile: the connection is closed, nothing is padded.
//   - It calls Sweep every few seconds, so that descriptors of files that
//     nobody asks for any more are closed.
//
// A front end for another model (net/http) takes Status and walks Fields
// instead of sending Head.
//
// # Answers
//
// HEAD gives the Head of GET, with its Content-Length, and neither Body nor
// Section. A Head always has Content-Length, except with 304 and 204.
// Body and Section never come together.
package core
