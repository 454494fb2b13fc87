// Package gobench lists the ordinary Go benchmarks of a module and compiles them
// so that the timer of package testing also counts instructions.
//
// The user's code is compiled as it is. What differs is the toolchain's own source:
// package testing and a few places of the run time are replaced at build time with
// `go build -overlay` (see edits.go), so that nothing in GOROOT or in the module
// changes.
//
// The steps are [Open], [Toolchain.Packages], [Toolchain.BuildTest] and [List].
package gobench
