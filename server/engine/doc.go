// Package engine reads HTTP/1.1 from sockets and answers from a core.Site. It
// is an event loop over epoll(7) on Linux, made to cost little, and refuses
// whatever two readers could read as two different requests.
//
//	e, err := engine.New(site, engine.Defaults())
//	go e.Serve(listener)
//	…
//	e.Shutdown(ctx)
//
// # The way of a request
//
// Parse and Body read bytes and know no socket. A loop has one buffer for
// what comes in and one for what goes out; all its connections share them, so
// that an idle one costs its struct and its descriptor. What a request left
// unfinished, and what a client was too slow to take, moves into the
// connection.
//
// # What it does not do
//
//   - Content that is not in memory is read on the loop: a slow disk holds up
//     the other connections of that loop, as it does in other event loops.
//     More loops help, and a cache that holds the files.
//   - Answers that last, such as server-sent events, are handed to a goroutine
//     of their own (Config.Takeover).
//   - It serves TCP and Unix listeners. TLS is for a proxy in front.
package engine
