package valgrind

import (
	"crypto/sha256"
	"encoding/hex"
)

// Key names what Ensure builds on this platform, for a cache of its folder:
// "3.27.1-0a1b2c3d4e5f". It changes whenever something else would be built.
func Key() string {
	releases := accepted()
	sum := sha256.New()
	for _, r := range releases {
		sum.Write([]byte(recipe(r)))
	}
	return releases[0].version + "-" + hex.EncodeToString(sum.Sum(nil)[:6])
}
