//go:build !race

package main

// underRace tells that memory is that of the race detector, too.
const underRace = false
