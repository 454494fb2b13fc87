// Package tasks has the Mage targets that any module wants. A magefile imports
// them:
//
//	//mage:import
//	_ "github.com/perfpin/perfpin/tasks"
//
// Every exported function is a target; its parameters are the target's flags, and
// nil stands for a flag that is not given.
//
// # Exit status
//
//	0  all benches are within their budgets, or nothing can be compared
//	1  something could not be measured
//	3  the gate failed
//	4  the platform is not the pinned one, only with -strict
//
// 1 beats 3, and 3 beats 4; 2 is Mage's own for wrong usage.
package tasks
