// Package throughput measures servers of the same files under load and compares
// what each answers per second of its own processor time.
//
// A [Harness] holds the servers, started once on ports of their own. It measures
// one [Request] at a time: it warms every server up, throws that away, and then
// goes through the rounds. In a round each server in turn gets a window of one
// second, again and again, until each has had the duration that was asked for. A
// round's result is the ratio between two servers in all of its windows together; the
// result of a request is the median of those, with the least and the most.
//
// # What makes a window valid
//
//   - Before and after it, one request for each file is answered by the server with
//     the status, length, contents and encoding that it has to have, over a
//     connection that stays open.
//   - The load generator reports no error of any kind and no other status.
//   - The bytes that it received are those of as many whole answers as it counted.
//   - Its own duration agrees with the clock of this process.
//   - The server used its processor at all, and is the process that it was before.
//
// Otherwise it is an error, and the request has no result.
//
// # Processor time
//
// It is the process's processor-time clock, which counts all of its threads, those
// that have ended too, in nanoseconds. It is read just before the load generator is
// started and just after it has ended.
//
// # Saturation
//
// A server that waits for work costs more for each answer than one that always
// finds some, so figures of servers that are not busy all the time are not
// comparable. [Judge] says of each server whether it was, and if not, why. Where
// the load generator is at its limit, it first gets more processors, then all
// servers get the same smaller share of theirs, with a quota of their cgroup.
//
// # What the hypervisor takes
//
// On a shared host it gives the processor to others for a while (steal time in
// /proc/stat, proc_stat(5)). The clock leaves that out, but not the cold caches after
// it. A turn from which more than [MostStolen] was taken is measured again, some
// times; then the one from which least was taken counts. How many turns that were,
// and what is still in the figures, is told with the result.
//
// # Latency
//
// The load is closed-loop: each connection waits for its answer before it asks
// again. So a stall also holds back the requests that it would have delayed, and
// percentiles come out too good (coordinated omission).
package throughput
