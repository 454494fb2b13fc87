package self

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/perfpin/perfpin/tasks/cleanenv"
	"github.com/perfpin/perfpin/tasks/tool"
)

// A need is a program that the tests start, under any of its names, and the Debian
// package that has it.
type need struct {
	pkg   string
	names []string
}

func needs() []need {
	return []need{
		{"git", []string{"git"}},
		{"nginx-light", []string{"nginx", "/usr/sbin/nginx"}},
		{"shellcheck", []string{"shellcheck"}},
		{"wrk", []string{"wrk"}},
		{"chromium", []string{"chromium", "chromium-browser", "google-chrome", "chrome"}},
	}
}

// provide installs what the tests need and the machine does not have. Only root can,
// and only through apt; for everybody else the error has the command.
func provide(ctx context.Context, root bool) error {
	var missing []string
	for _, n := range needs() {
		if _, err := tool.FindAny(n.names, ""); err != nil {
			missing = append(missing, n.pkg)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	apt, err := tool.Find("apt-get", "")
	if err != nil || !root {
		return fmt.Errorf("test: not installed: %s\nhint: sudo apt-get install --no-install-recommends %[1]s", strings.Join(missing, " "))
	}
	fmt.Fprintf(os.Stderr, "install %s\n", strings.Join(missing, " "))
	for _, args := range [][]string{
		{"update"},
		append([]string{"install", "--yes", "--no-install-recommends"}, missing...),
	} {
		// What apt prints names the machine's mirrors.
		var out bytes.Buffer
		err := tool.Command{
			Path: apt, Args: args, Stdout: &out, Stderr: &out,
			// A service that its package starts would take a port and a processor; none
			// starts in runlevel 1, see invoke-rc.d(8).
			Env: cleanenv.Tool(os.Environ(), "DEBIAN_FRONTEND=noninteractive", "RUNLEVEL=1"),
		}.Run(ctx)
		if err != nil {
			return fmt.Errorf("apt-get %s: %w\nhint: apt-get update && apt-get install --no-install-recommends %s",
				args[0], err, strings.Join(missing, " "))
		}
	}
	return nil
}
