package bootstrap

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// maxZip is how big a function may be as it is uploaded, in bytes: unpacking it is part of a cold
// start.
const maxZip = 4_500_000

func TestSize(t *testing.T) {
	t.Parallel()
	for name := range functions {
		if got := zipped(t, name); got > maxZip {
			t.Errorf("%s: got a zip of %d bytes, want at most %d", name, got, maxZip)
		}
	}
}

// zipped is the size of a program in a zip. Python makes it, as it does for sam; the race detector
// would make of Go's some ten seconds.
func zipped(t testing.TB, name string) int64 {
	t.Helper()
	file := filepath.Join(t.TempDir(), "function.zip")
	if out, err := exec.Command("python3", "-m", "zipfile", "-c", file, bootstrap(t, name)).CombinedOutput(); err != nil {
		t.Fatalf("zip: %v\n%s", err, out)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}
