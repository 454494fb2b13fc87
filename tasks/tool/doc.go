// Package tool finds an external program, tells its version, runs it, and keeps
// both ends of its output. It is the one place where programs are started, so that
// one rule holds for all of them: nothing that was started outlives the run, nor
// this process, however either of them ends.
//
// Each child gets a process group of its own, led by a guard (see guard.go). The
// group is killed as a whole when the child exits, when the context ends, when a
// limit is passed, and, by the guard, when this process dies by SIGKILL. A
// program that leaves its group with setsid(2) leaves this rule too.
//
// A target wraps its context once, at the top, with [WithInterrupt]; everything
// below only obeys its context:
//
//	ctx, stop := tool.WithInterrupt(ctx)
//	defer stop()
//	err := tool.Command{Path: cc, Args: []string{"--version"}}.Run(ctx)
package tool
