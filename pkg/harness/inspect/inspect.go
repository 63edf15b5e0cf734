// Package inspect looks at an agent before it runs: which tools its servers offer, what its policy
// makes of each, and which of its rules do nothing.
package inspect

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/policy"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Report is what there is to say of an agent.
type Report struct {
	Servers   []Server
	Unmatched []string // patterns that match no tool: rules that silently do nothing
}

// Server is one tool server.
type Server struct {
	Name    string
	Error   string // why its tools are not known
	Tools   []Tool
	LeftOut int // tools that no model can be told of
}

// Tool is a tool as the agent may use it.
type Tool struct {
	Name     string // the server's own
	Model    string // as models know it
	Cut      bool   // that name could not be server__tool
	Decision policy.Decision
	Class    task.EffectClass
}

// Inspect asks every server of a definition for its tools, and holds them against its policy. Where
// a server's tools are not known, no pattern is said to match nothing.
func Inspect(ctx context.Context, d *definition.Definition, connect func(name string, s definition.Server) (tool.Server, error)) Report {
	var r Report
	var all []tool.Tool
	known := true
	for _, name := range slices.Sorted(maps.Keys(d.Servers)) {
		tools, leftOut, err := list(ctx, name, d.Servers[name], connect)
		if err != nil {
			known = false
			r.Servers = append(r.Servers, Server{Name: name, Error: err.Error()})
			continue
		}
		all = append(all, tools...)
		r.Servers = append(r.Servers, Server{Name: name, LeftOut: leftOut})
	}
	names := tool.Names(all)
	rules := policy.New(d)
	for i, t := range all {
		at := slices.IndexFunc(r.Servers, func(s Server) bool { return s.Name == t.Server })
		r.Servers[at].Tools = append(r.Servers[at].Tools, Tool{
			Name: t.Name, Model: names[i], Cut: names[i] != t.Server+"__"+t.Name, Decision: rules.Decide(t), Class: rules.Class(t),
		})
	}
	if known {
		r.Unmatched = policy.Unmatched(d, all)
	}
	return r
}

func list(ctx context.Context, name string, s definition.Server, connect func(string, definition.Server) (tool.Server, error)) (tools []tool.Tool, leftOut int, err error) {
	server, err := connect(name, s)
	if err != nil {
		return nil, 0, err
	}
	if c, ok := server.(io.Closer); ok {
		defer c.Close()
	}
	tools, err = server.List(ctx)
	if l, ok := server.(interface{ LeftOut() int }); ok {
		leftOut = l.LeftOut()
	}
	return tools, leftOut, err
}

// OK reports whether every server answered and every rule does something.
func (r Report) OK() bool {
	failed := func(s Server) bool { return s.Error != "" }
	return len(r.Unmatched) == 0 && !slices.ContainsFunc(r.Servers, failed)
}

// WriteTo writes the report for people.
func (r Report) WriteTo(w io.Writer) (n int64, err error) {
	print := func(format string, args ...any) {
		if err == nil {
			var m int
			m, err = fmt.Fprintf(w, format, args...)
			n += int64(m)
		}
	}
	for _, s := range r.Servers {
		if s.Error != "" {
			print("%s: %s\n", s.Name, s.Error)
			continue
		}
		print("%s: %d tools\n", s.Name, len(s.Tools))
		for _, t := range s.Tools {
			print("  %-5s %-10s %s", t.Decision, t.Class, t.Name)
			if t.Cut {
				print("  (models know it as %s)", t.Model)
			}
			print("\n")
		}
		if s.LeftOut > 0 {
			print("  %d more are left out: a name is 1 to 128 of A–Z, a–z, 0–9, _, . and -, and once; a schema is an object\n", s.LeftOut)
		}
	}
	for _, p := range r.Unmatched {
		print("%s matches no tool: the rule does nothing\n", p)
	}
	return n, err
}
