package tasks

import (
	"context"
	"fmt"

	"github.com/perfpin/perfpin/tasks/gocommand"
	"github.com/perfpin/perfpin/tasks/tool"
	"github.com/perfpin/perfpin/tasks/valgrind"
)

// Bootstrap builds valgrind into target/tools, unless it is there already.
func Bootstrap(ctx context.Context,
	key *bool, // build nothing: print what names it, for a cache of target/tools
) error {
	if key != nil && *key {
		fmt.Println(valgrind.Key())
		return nil
	}
	ctx, stop := tool.WithInterrupt(ctx)
	defer stop()
	root, err := gocommand.CurrentModule()
	if err != nil {
		return err
	}
	c := newConsole()
	steps, finish := c.follow()
	v, err := bootstrap(ctx, root, steps)
	finish()
	if err != nil {
		return err
	}
	c.tell(v)
	return nil
}

// tell says which valgrind is used, and why it is another than ours.
func (c console) tell(v valgrind.Valgrind) {
	if v.Why != nil {
		c.say("%v", v.Why)
	}
	c.say("valgrind %s: %s", v.Version, v.Path)
}
