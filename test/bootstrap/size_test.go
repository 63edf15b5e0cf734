package bootstrap

import (
	"archive/zip"
	"io"
	"os"
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

// zipped is the size of a program in a zip, as sam uploads it.
func zipped(t testing.TB, name string) int64 {
	t.Helper()
	program, err := os.Open(bootstrap(t, name))
	if err != nil {
		t.Fatal(err)
	}
	defer program.Close()
	var size counter
	z := zip.NewWriter(&size)
	w, err := z.Create("bootstrap")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(w, program); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return int64(size)
}

// counter counts what is written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
