// Package server serves the files below a directory over HTTP: to be mounted
// in a Go program as an http.Handler, or listening by itself on a front end
// that costs less than net/http's. Both ask the same core and give the same
// answers.
//
//	s, err := server.New("public", server.WithFallback("index.html"))
//	if err != nil {
//		return err
//	}
//	defer s.Close()
//	return s.ListenAndServe("127.0.0.1:8080")
//
// Without options it serves GET and HEAD with strong entity tags, ranges,
// sidecars (FILE.br, FILE.zst, FILE.gz), index.html for a directory, and a
// content cache of 32 MiB. It never serves what lies outside the directory,
// nor names that begin with a dot, devices and FIFOs. Listings, the fallback
// of a single-page application, live reload and the access log are off.
package server
