// Package policy decides what becomes of a call that a model wants: it is made, held for a person,
// or denied (HARN-01), and what sending it twice would do.
//
// Rules are patterns server/tool in which * stands for any part of either side. Deny beats ask
// beats allow beats the default, whatever is more specific; a level added on top can only tighten.
// A server's own hints count only if the definition trusts it: a hint must never be what lets a
// foreign server's call through.
package policy

import (
	"maps"
	"slices"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Decision says what becomes of a call.
type Decision string

// The decisions.
const (
	Allow Decision = "allow"
	Ask   Decision = "ask"
	Deny  Decision = "deny"
)

// Policy is a definition's rules, and the deployment's denials above them.
type Policy struct {
	definition *definition.Definition
	denied     []string
}

// New is the policy of a definition. denied are patterns that no definition can allow.
func New(d *definition.Definition, denied ...string) Policy { return Policy{d, denied} }

// Decide says what becomes of calls of a tool.
func (p Policy) Decide(t tool.Tool) Decision {
	rules := p.definition.Permissions
	switch {
	case matches(p.denied, t), matches(rules.Deny, t):
		return Deny
	case t.Server == definition.Builtin:
		return Allow // what it does is ask a person
	case matches(rules.Ask, t):
		return Ask
	case matches(rules.Allow, t):
		return Allow
	case rules.Default == string(Deny):
		return Deny
	case p.trusts(t) && t.ReadOnly:
		return Allow
	}
	return Ask
}

// Class says what sending a call of the tool twice would do: what the definition says of it, else
// a trusted server's hints, else that it writes.
func (p Policy) Class(t tool.Tool) task.EffectClass {
	if e, ok := p.effect(t); ok {
		return task.EffectClass(e.Class)
	}
	switch {
	case !p.trusts(t):
		return task.ClassWrite
	case t.ReadOnly:
		return task.ClassRead
	case t.Idempotent:
		return task.ClassIdempotent
	}
	return task.ClassWrite
}

// KeyArgument is the argument in which a call of the tool carries its effect's id, if any.
func (p Policy) KeyArgument(t tool.Tool) string {
	e, _ := p.effect(t)
	return e.Key
}

// effect is what the definition says of the tool: by its name, else by the longest pattern that
// matches.
func (p Policy) effect(t tool.Tool) (found definition.Effect, ok bool) {
	longest := ""
	for pattern, e := range p.definition.Effects {
		if !Match(pattern, t.Server, t.Name) {
			continue
		}
		longer := len(pattern) > len(longest) || len(pattern) == len(longest) && pattern > longest
		if exact := !strings.Contains(pattern, "*"); exact || longer {
			found, ok, longest = e, true, pattern
			if exact {
				break
			}
		}
	}
	return found, ok
}

func (p Policy) trusts(t tool.Tool) bool { return p.definition.Servers[t.Server].Trusted }

// Unmatched are the patterns of a definition that match none of some tools: rules that silently
// do nothing (R10 of what goes wrong).
func Unmatched(d *definition.Definition, tools []tool.Tool) (patterns []string) {
	deniable := slices.Clone(tools)
	for _, name := range d.Loop.Builtins() { // which ask a person anyway: to deny them is all there is
		deniable = append(deniable, tool.Tool{Server: definition.Builtin, Name: name})
	}
	patterns = unmatched(d.Permissions.Deny, deniable)
	others := slices.Concat(d.Permissions.Ask, d.Permissions.Allow, slices.Sorted(maps.Keys(d.Effects)))
	for _, name := range slices.Sorted(maps.Keys(d.Servers)) {
		for _, p := range d.Servers[name].Tools {
			others = append(others, name+"/"+p)
		}
	}
	return append(patterns, unmatched(others, tools)...)
}

func unmatched(patterns []string, tools []tool.Tool) (none []string) {
	for _, p := range patterns {
		if !slices.ContainsFunc(tools, func(t tool.Tool) bool { return Match(p, t.Server, t.Name) }) {
			none = append(none, p)
		}
	}
	return none
}

func matches(patterns []string, t tool.Tool) bool {
	for _, p := range patterns {
		if Match(p, t.Server, t.Name) {
			return true
		}
	}
	return false
}

// Match reports whether a pattern server/tool matches. It is case-sensitive.
func Match(pattern, server, name string) bool {
	ps, pt, ok := strings.Cut(pattern, "/")
	return ok && glob(ps, server) && glob(pt, name)
}

// glob matches a text against a pattern whose * stands for any text.
func glob(pattern, text string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == text
	}
	text, ok := strings.CutPrefix(text, parts[0])
	if !ok {
		return false
	}
	last := len(parts) - 1
	for _, part := range parts[1:last] {
		_, after, found := strings.Cut(text, part)
		if !found {
			return false
		}
		text = after
	}
	return strings.HasSuffix(text, parts[last])
}
