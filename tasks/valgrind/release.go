package valgrind

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"strings"
)

// upstream is where the project publishes its releases.
const upstream = "https://sourceware.org/pub/valgrind/"

// A release is a version whose source is known.
type release struct {
	version string
	sha256  string // of the archive, in hexadecimal
	suite   string // the Debian suite whose source package holds the same bytes
}

func (r release) archive() string { return "valgrind-" + r.version + ".tar.bz2" }

// accepted returns the releases that are built, the preferred one first. Counts
// agree between them.
func accepted() []release {
	return []release{
		{"3.27.1", "5d589152eb8071c02feab8ce6ab719e431a1fbc3e2b1700f5432632a8b9264dc", "forky"},
		{"3.24.0", "71aee202bdef1ae73898ccf7e9c315134fa7db6c246063afc503aef702ec03bd", "trixie"},
	}
}

// identify returns the release that the file at path is the archive of.
func identify(path string, releases []release) (release, error) {
	file, err := os.Open(path)
	if err != nil {
		return release{}, err
	}
	defer func() { _ = file.Close() }()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return release{}, err
	}
	got := hex.EncodeToString(hash.Sum(nil))
	var want []string
	for _, r := range releases {
		if got == r.sha256 {
			return r, nil
		}
		want = append(want, fmt.Sprintf("%s (%s)", r.sha256, r.version))
	}
	return release{}, fmt.Errorf("sha256: got %s, want %s", got, strings.Join(want, " or "))
}
