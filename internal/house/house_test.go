package house

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"strings"
	"testing"
)

const module = "github.com/interlude-a2a/interlude/"

// goPackage is what go list says about a package of this module.
type goPackage struct {
	ImportPath string
	Dir        string
	Doc        string
	Imports    []string
	Deps       []string
	GoFiles    []string

	TestGoFiles, XTestGoFiles []string
}

// name is the import path without the module's.
func (p goPackage) name() string { return strings.TrimPrefix(p.ImportPath, module) }

// listPackages asks the go command for every package of this module.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,Doc,Imports,Deps,GoFiles,TestGoFiles,XTestGoFiles", module+"...")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	var packages []goPackage
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
	if len(packages) < 2 {
		t.Fatalf("go list found %d packages, want the whole module", len(packages))
	}
	return packages
}

// within reports whether a package is the named one or lies below it.
func within(name, root string) bool {
	return name == root || strings.HasPrefix(name, root+"/")
}

// base is the last element of a package's name.
func base(name string) string { return path.Base(name) }
