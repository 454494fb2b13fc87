// Command init sets perfpin up in the module of the current folder:
//
//	go run github.com/perfpin/perfpin/tasks/init@latest [-ci=github|gitlab|none]
//
// It adds what `go tool mage` needs to go.mod, and writes magefile.go, budgets.toml from
// a first count, and a CI step. What is there already is left as it is. See tasks.Init.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/perfpin/perfpin/tasks"
)

func main() {
	var ci *string
	flag.Func("ci", "github, gitlab or none; default: where the remote is", func(value string) error {
		ci = &value
		return nil
	})
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "init: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	if err := tasks.Init(context.Background(), ci); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}
