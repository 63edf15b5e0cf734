package house

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// longest is the most lines a source file may have; past it a seam is missing.
const longest = 500

func TestFilesStayReadable(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		for _, file := range slices.Concat(p.GoFiles, p.TestGoFiles, p.XTestGoFiles) {
			text, err := os.ReadFile(filepath.Join(p.Dir, file))
			if err != nil {
				t.Fatal(err)
			}
			if lines := bytes.Count(text, []byte("\n")); lines > longest {
				t.Errorf("%s/%s has %d lines, want at most %d", p.name(), file, lines, longest)
			}
		}
	}
}
