package house

import (
	"slices"
	"strings"
	"testing"
)

// layers lists the house from the ground up. A package, with all below it, may
// import those of its own layer and of the layers under it.
var layers = [][]string{
	{"pkg/a2a", "pkg/netguard"},
	{"pkg/task", "pkg/queue", "pkg/agent", "pkg/interaction", "pkg/card", "pkg/access", "pkg/connection"},
	{"pkg/server", "pkg/harness", "pkg/push"},
	{"pkg/binding", "pkg/turn", "pkg/lambda", "pkg/awsconfig", "pkg/parameter"},
	{"functions", "cmd", "infra", "agents"},
}

// clients stand beside the layers: all of this module they may import.
var clients = map[string][]string{
	"pkg/client": {"pkg/a2a", "pkg/interaction", "pkg/card"},
	"pkg/tool":   {"pkg/a2a", "pkg/interaction", "pkg/card", "pkg/client"},
}

// leaves are the ways a port is filled. Only mains and tests choose one.
var leaves = []string{
	"pkg/task/memory", "pkg/task/sqlite", "pkg/task/dynamodb",
	"pkg/queue/local", "pkg/queue/sqs",
	"pkg/task/storetest", "pkg/queue/queuetest", "pkg/agent/agenttest",
}

func TestImportsPointOneWay(t *testing.T) {
	t.Parallel()
	for _, p := range listPackages(t) {
		if !placed(p.name()) {
			t.Errorf("%s has no place in the house: add it to layers or clients", p.name())
			continue
		}
		for _, imported := range p.Imports {
			if name, ours := strings.CutPrefix(imported, module); ours && !mayImport(p.name(), name) {
				t.Errorf("%s imports %s, want imports only downwards", p.name(), name)
			}
		}
	}
}

func TestMayImport(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from, to string
		want     bool
	}{
		{"pkg/server", "pkg/task", true},
		{"pkg/task", "pkg/server", false},
		{"pkg/task/memory", "pkg/task", true},
		{"pkg/server", "pkg/task/memory", false},
		{"infra/local", "pkg/task/memory", true},
		{"pkg/turn", "infra/local", false},
		{"pkg/client", "pkg/interaction", true},
		{"pkg/client", "pkg/server", false},
		{"pkg/harness", "pkg/tool", true},
		{"pkg/task", "pkg/tool", false},
		{"pkg/a2a", "pkg/task", false},
		{"pkg/taskmaster", "pkg/a2a", false},
	} {
		if got := mayImport(tt.from, tt.to); got != tt.want {
			t.Errorf("mayImport(%q, %q) = %t, want %t", tt.from, tt.to, got, tt.want)
		}
	}
}

func placed(name string) bool {
	return layer(name) >= 0 || clientOf(name) != "" || isTest(name)
}

func mayImport(from, to string) bool {
	switch client := clientOf(from); {
	case isTest(from):
		return true
	case isLeaf(to) && layer(from) < len(layers)-1 && !sameLeaf(from, to):
		return false
	case client != "":
		return within(to, client) || slices.ContainsFunc(clients[client], func(root string) bool { return within(to, root) })
	case clientOf(to) != "":
		return layer(from) >= layer("pkg/server")
	default:
		return layer(to) >= 0 && layer(to) <= layer(from)
	}
}

// layer is the number of a package's layer, -1 where it has none.
func layer(name string) int {
	return slices.IndexFunc(layers, func(roots []string) bool {
		return slices.ContainsFunc(roots, func(root string) bool { return within(name, root) })
	})
}

func clientOf(name string) string {
	for root := range clients {
		if within(name, root) {
			return root
		}
	}
	return ""
}

func isLeaf(name string) bool {
	return slices.ContainsFunc(leaves, func(leaf string) bool { return within(name, leaf) })
}

func sameLeaf(from, to string) bool {
	return slices.ContainsFunc(leaves, func(leaf string) bool { return within(from, leaf) && within(to, leaf) })
}

// isTest names the packages that hold only tests and may see everything.
func isTest(name string) bool { return within(name, "internal/house") || within(name, "test") }
