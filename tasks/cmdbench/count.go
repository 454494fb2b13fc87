package cmdbench

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"syscall"
)

const (
	// modeVariable tells what a test binary does; see package gobench.
	modeVariable = "PERFPIN"
	// specVariable holds a Spec, as JSON.
	specVariable = "PERFPIN_COMMAND"
	// reports is the file descriptor that reports are written to.
	reports = 3
)

// A Spec tells a benchmark how its command is counted.
type Spec struct {
	// Program is the command's path.
	Program string `json:"program"`
	// Wrapper is the program and the arguments that count the command: its path
	// stands after them, and then its own arguments.
	Wrapper []string `json:"wrapper"`
	// Env is the command's whole environment, but for what the benchmark adds.
	Env []string `json:"env"`
}

// Variable returns the spec as an entry of the benchmark's environment.
func (s Spec) Variable() (string, error) {
	text, err := json.Marshal(s)
	return specVariable + "=" + string(text), err
}

// A report is a line that a benchmark of a command writes; see gobench.Report.
type report struct {
	Outcome string `json:"outcome"`
	Name    string `json:"name"`
	Package string `json:"package,omitempty"`
	Program string `json:"program,omitempty"`
	Iters   int    `json:"iters,omitempty"`
	PID     int    `json:"pid,omitempty"`
	Regions int    `json:"regions,omitempty"`
}

func (r report) write() error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	// An *os.File would close the descriptor when it is collected.
	_, err = syscall.Write(reports, append(line, '\n'))
	return err
}

// announce tells that the benchmark is one of a command, and of which.
func announce(name string, c Command) error {
	program := c.Program
	if program != "" {
		path, err := exec.LookPath(program)
		if err != nil {
			return err
		}
		program = path
	}
	return report{Outcome: "command", Name: name, Package: c.Package, Program: program}.write()
}

// count runs the command once, counted.
func count(name string, c Command) error {
	var spec Spec
	if err := json.Unmarshal([]byte(os.Getenv(specVariable)), &spec); err != nil {
		return fmt.Errorf("%s: %w", specVariable, err)
	}
	if len(spec.Wrapper) == 0 {
		return fmt.Errorf("%s: no wrapper", specVariable)
	}
	r, err := c.prepare()
	if err != nil {
		return err
	}
	args := append(append(spec.Wrapper[1:], spec.Program), c.Args...)
	cmd := exec.Command(spec.Wrapper[0], args...)
	cmd.Env = append(spec.Env, c.Env...)
	if err := errors.Join(r.run(cmd), r.remove()); err != nil {
		return err
	}
	return report{Outcome: "counted", Name: name, Iters: 1, Regions: 1, PID: cmd.Process.Pid}.write()
}
