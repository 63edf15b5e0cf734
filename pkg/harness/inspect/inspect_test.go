package inspect

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// offers is a server of some tools, or one that fails.
type offers struct {
	tools []tool.Tool
	err   error
}

func (o offers) List(context.Context) ([]tool.Tool, error)         { return o.tools, o.err }
func (o offers) Call(context.Context, tool.Call) (o2 tool.Outcome) { return nil }

func TestInspect(t *testing.T) {
	t.Parallel()
	d := &definition.Definition{
		Servers: map[string]definition.Server{"hub": {Trusted: true, Tools: []string{"*", "mak"}}, "odd": {}},
		Permissions: definition.Permissions{
			Allow: []string{"hub/get", "hub/gone"}, Deny: []string{"hub/wipe"}, Default: "ask",
		},
		Effects: map[string]definition.Effect{"hub/make": {Class: "idempotent"}, "odd/typo": {Class: "read"}},
	}
	servers := map[string]tool.Server{
		"hub": offers{tools: []tool.Tool{{Server: "hub", Name: "get", ReadOnly: true}, {Server: "hub", Name: "make"}, {Server: "hub", Name: "wipe"}}},
		"odd": offers{tools: []tool.Tool{{Server: "odd", Name: "a.b"}}},
	}
	connect := func(name string, _ definition.Server) (tool.Server, error) { return servers[name], nil }
	var b strings.Builder
	r := Inspect(t.Context(), d, connect)
	if _, err := r.WriteTo(&b); err != nil || r.OK() {
		t.Errorf("ok %t, %v", r.OK(), err)
	}
	want := `hub: 3 tools
  allow read       get
  ask   idempotent make
  deny  write      wipe
odd: 1 tools
  ask   write      a.b  (models know it as odd__a_b)
hub/gone matches no tool: the rule does nothing
odd/typo matches no tool: the rule does nothing
hub/mak matches no tool: the rule does nothing
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}

	servers["odd"] = offers{err: errors.New("connection refused")}
	b.Reset()
	r = Inspect(t.Context(), d, connect)
	r.WriteTo(&b)
	if r.OK() || !strings.Contains(b.String(), "odd: connection refused\n") || strings.Contains(b.String(), "matches no tool") {
		t.Errorf("got\n%s", b.String())
	}
}
