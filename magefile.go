//go:build mage

// The targets of this repository; `go tool mage -l` lists them.
package main

import (
	//mage:import
	_ "github.com/perfpin/perfpin/tasks"
	//mage:import
	_ "github.com/perfpin/perfpin/tasks/self"
)
