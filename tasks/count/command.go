package count

import (
	"context"
	"os"
	"slices"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/cmdbench"
	"github.com/perfpin/perfpin/tasks/gobench"
	"github.com/perfpin/perfpin/tasks/tool"
)

// runCommand runs the benchmark of a command natively; it runs the command under
// callgrind, from its first instruction to its last.
func (c Counter) runCommand(ctx context.Context, scratch gobench.Scratch, bench gobench.Bench, _ int64, reports *os.File) error {
	binary, err := scratch.Program(bench.Binary.Path)
	if err != nil {
		return err
	}
	program, err := scratch.Copy(bench.Command.Program, "command")
	if err != nil {
		return err
	}
	env, err := c.Callgrind.env(scratch)
	if err != nil {
		return err
	}
	place, err := c.Perturbation.place(scratch, bench.Binary.Package.Dir)
	if err != nil {
		return err
	}
	// Its start is counted, and an environment costs by its length: what is added for
	// the sake of the spread is not the command's, see perturbationsOf.
	spec, err := cmdbench.Spec{
		Program: program,
		Wrapper: append([]string{c.Callgrind.Path}, c.Callgrind.args(scratch, true)...),
		Env:     cleanenv.Measured(scratch.Tmp(), append(env, c.Pass...)),
	}.Variable()
	if err != nil {
		return err
	}
	own := append(gobench.Environment("command"), spec)
	return tool.Command{
		Path:    binary,
		Args:    gobench.Args(gobench.ExactPattern(bench.Name), 1),
		Dir:     place.dir,
		Env:     cleanenv.Measured(scratch.Tmp(), slices.Concat(own, place.env, c.Pass)),
		Files:   []*os.File{reports},
		Timeout: c.Limits.Time,
		MaxRSS:  c.Limits.Memory,
	}.Run(ctx)
}
