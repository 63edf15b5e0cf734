package house

import (
	"slices"
	"strings"
	"testing"
)

// core is what knows no binding and no cloud (design principle 6).
var core = []string{
	"pkg/a2a", "pkg/task", "pkg/queue", "pkg/agent", "pkg/interaction",
	"pkg/card", "pkg/access", "pkg/server", "pkg/turn",
}

// foreign must not be reached from the core by any path of imports.
var foreign = []string{
	"github.com/aws", "google.golang.org/grpc", "database/sql", "modernc.org",
	"github.com/a2aproject", module + "pkg/binding", module + "pkg/lambda",
}

// rented is what the core may import beside the standard library: a module or
// package, and why the core does not do that work itself.
var rented = map[string]string{}

func TestCoreRentsLittle(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		if !isCore(p.name()) {
			continue
		}
		for _, imported := range p.Imports {
			host, _, _ := strings.Cut(imported, "/")
			if !strings.Contains(host, ".") || strings.HasPrefix(imported, module) || isRented(imported) {
				continue
			}
			t.Errorf("%s imports %s, want the standard library or a row in rented", p.name(), imported)
		}
	}
}

func isRented(imported string) bool {
	for root := range rented {
		if within(imported, root) {
			return true
		}
	}
	return false
}

func TestCoreKnowsNoCloud(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		if !isCore(p.name()) {
			continue
		}
		for _, dep := range p.Deps {
			if slices.ContainsFunc(foreign, func(root string) bool { return within(dep, root) }) {
				t.Errorf("%s depends on %s, want a core without it", p.name(), dep)
			}
		}
	}
}

// isCore leaves out the stores and queues below the core's ports.
func isCore(name string) bool {
	return !isLeaf(name) && slices.ContainsFunc(core, func(root string) bool { return within(name, root) })
}

func TestPackagesAreNamedForWhatTheyOwn(t *testing.T) {
	t.Parallel()
	shelves := []string{"util", "utils", "helper", "helpers", "common", "types", "interfaces", "misc"}
	for _, p := range listPackages(t) {
		if slices.Contains(shelves, base(p.name())) {
			t.Errorf("package %s is named for nothing it owns", p.name())
		}
		if len(p.GoFiles) > 0 && strings.TrimSpace(p.Doc) == "" {
			t.Errorf("package %s has no comment", p.name())
		}
	}
}
