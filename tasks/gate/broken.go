package gate

import "github.com/perfpin/perfpin/tasks/count"

// A BrokenPackage is one whose benches could not be listed.
type BrokenPackage struct {
	// Key is its path as it stands in the keys of benches, "" for a module's root.
	Key string
	// Name is what results call it.
	Name string
	Err  error
}

// BrokenPackages are those of one revision.
type BrokenPackages []BrokenPackage

// Of returns the one that a bench is in, if it is in any.
func (b BrokenPackages) Of(bench string) (BrokenPackage, bool) {
	key, _ := count.SplitKey(bench)
	for _, pkg := range b {
		if pkg.Key == key {
			return pkg, true
		}
	}
	return BrokenPackage{}, false
}
