package gocommand

import (
	"fmt"
	"os"
	"path/filepath"
)

// CurrentModule returns the root of the module that a target is run in.
func CurrentModule() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	return ModuleRoot(dir)
}

// ModuleRoot returns the nearest folder, from dir up, that has a go.mod.
func ModuleRoot(dir string) (string, error) {
	for root := dir; ; root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			return root, nil
		}
		if root == filepath.Dir(root) {
			return "", fmt.Errorf("%s: no go.mod in it or above it\nhint: go mod init example.com/name", dir)
		}
	}
}
