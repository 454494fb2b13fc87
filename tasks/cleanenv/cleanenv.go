// Package cleanenv makes the environment that a child process gets. No child
// inherits this process's environment: a measured process gets fixed values
// ([Measured]), a build an allow-list ([Build]), any other program a shorter one
// ([Tool]).
//
// Every function is pure. Environments are lists of NAME=VALUE as os.Environ
// returns them; the results are sorted and hold each name once.
package cleanenv

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Check reports every entry of pass, the variables that a user hands on by
// purpose, that is not NAME=VALUE. [Measured] and [Build] expect none.
func Check(pass []string) error {
	var errs []error
	for _, pair := range pass {
		name, _, found := strings.Cut(pair, "=")
		switch {
		case !found || name == "":
			errs = append(errs, fmt.Errorf("environment variable %q: want NAME=VALUE", pair))
		case strings.ContainsRune(pair, 0):
			errs = append(errs, fmt.Errorf("environment variable %q: holds a zero byte", pair))
		}
	}
	return errors.Join(errs...)
}

// An environment maps names to values.
type environment map[string]string

func parse(environ []string) environment {
	env := environment{}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		env[name] = value
	}
	return env
}

// keep copies from the names that are set there to something: the go command
// and the proxy conventions take an empty value for an unset one.
func (env environment) keep(from map[string]string, names ...string) {
	for _, name := range names {
		if value := from[name]; value != "" {
			env[name] = value
		}
	}
}

func (env environment) list() []string {
	pairs := make([]string, 0, len(env))
	for _, name := range slices.Sorted(maps.Keys(env)) {
		pairs = append(pairs, name+"="+env[name])
	}
	return pairs
}
