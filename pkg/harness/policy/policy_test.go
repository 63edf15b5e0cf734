package policy

import (
	"path"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func rules(allow, ask, deny []string, fallback string) *definition.Definition {
	return &definition.Definition{
		Servers:     map[string]definition.Server{"ours": {Trusted: true}, "theirs": {}},
		Permissions: definition.Permissions{Allow: allow, Ask: ask, Deny: deny, Default: fallback},
	}
}

// HARN-01: deny before ask before allow before the default, however specific each is.
func TestDecide(t *testing.T) {
	t.Parallel()
	list := func(p ...string) []string { return p }
	reading := tool.Tool{Server: "ours", Name: "get_issue", ReadOnly: true}
	writing := tool.Tool{Server: "ours", Name: "create_issue", Idempotent: true}
	foreign := tool.Tool{Server: "theirs", Name: "get_issue", ReadOnly: true}
	builtin := tool.Tool{Server: definition.Builtin, Name: "ask_user"}
	for name, tt := range map[string]struct {
		d      *definition.Definition
		denied []string
		t      tool.Tool
		want   Decision
	}{
		"nothing said, reads":                {rules(nil, nil, nil, "ask"), nil, reading, Allow},
		"nothing said, writes":               {rules(nil, nil, nil, "ask"), nil, writing, Ask},
		"a foreign server's hint":            {rules(nil, nil, nil, "ask"), nil, foreign, Ask},
		"of an unknown server":               {rules(nil, nil, nil, "ask"), nil, tool.Tool{Server: "x", Name: "y", ReadOnly: true}, Ask},
		"a built-in asks by itself":          {rules(nil, nil, nil, "ask"), nil, builtin, Allow},
		"denied by default, reads":           {rules(nil, nil, nil, "deny"), nil, reading, Deny},
		"denied by default, but allowed":     {rules(list("ours/get_*"), nil, nil, "deny"), nil, reading, Allow},
		"denied by default, but asked":       {rules(nil, list("ours/*"), nil, "deny"), nil, writing, Ask},
		"allowed":                            {rules(list("theirs/get_issue"), nil, nil, "ask"), nil, foreign, Allow},
		"ask beats allow":                    {rules(list("ours/create_issue"), list("ours/*"), nil, "ask"), nil, writing, Ask},
		"ask beats a hint":                   {rules(nil, list("*/get_*"), nil, "ask"), nil, reading, Ask},
		"deny beats ask and allow":           {rules(list("ours/create_issue"), list("ours/create_issue"), list("*/create_*"), "ask"), nil, writing, Deny},
		"the deployment's denial":            {rules(list("ours/*"), nil, nil, "ask"), list("*/create_issue"), writing, Deny},
		"the deployment can only tighten":    {rules(nil, nil, list("ours/get_issue"), "ask"), list("ours/other"), reading, Deny},
		"a pattern of another case":          {rules(list("ours/Create_*"), nil, nil, "ask"), nil, writing, Ask},
		"a pattern of a longer name":         {rules(list("ours/create"), nil, nil, "ask"), nil, writing, Ask},
		"a built-in under a denying default": {rules(nil, nil, nil, "deny"), nil, builtin, Allow},
		"a built-in is not asked about":      {rules(nil, list("*/*"), nil, "ask"), nil, builtin, Allow},
		"a built-in can be denied as well":   {rules(nil, nil, list("builtin/*"), "ask"), nil, builtin, Deny},
	} {
		if got := New(tt.d, tt.denied...).Decide(tt.t); got != tt.want {
			t.Errorf("%s: got %s, want %s", name, got, tt.want)
		}
	}
}

// what the definition says, else a trusted server's hints, else a write.
func TestClass(t *testing.T) {
	t.Parallel()
	d := rules(nil, nil, nil, "ask")
	d.Effects = map[string]definition.Effect{
		"ours/*":         {Class: "write"},
		"ours/set_*":     {Class: "idempotent", Key: "id"},
		"ours/set_it":    {Class: "read"},
		"ours/*s*et*it*": {Class: "write"}, // longer than the name that it matches as well

		"ours/t*": {Class: "read"}, "*/take_*": {Class: "idempotent"}, // the longer one counts, though it comes first
		"ours/*z": {Class: "read"}, "ours/z*": {Class: "idempotent"}, // of two that are as long the one that comes last
	}
	for name, tt := range map[string]struct {
		t     tool.Tool
		class task.EffectClass
		key   string
	}{
		"said by name":            {tool.Tool{Server: "ours", Name: "set_it"}, task.ClassRead, ""},
		"said by a pattern":       {tool.Tool{Server: "ours", Name: "set_label"}, task.ClassIdempotent, "id"},
		"said by the longer":      {tool.Tool{Server: "ours", Name: "take_it"}, task.ClassIdempotent, ""},
		"said by the last":        {tool.Tool{Server: "ours", Name: "zz"}, task.ClassIdempotent, ""},
		"said over a hint":        {tool.Tool{Server: "ours", Name: "get", ReadOnly: true}, task.ClassWrite, ""},
		"a foreign server's hint": {tool.Tool{Server: "theirs", Name: "get", ReadOnly: true, Idempotent: true}, task.ClassWrite, ""},
	} {
		p := New(d)
		for range 100 { // whatever the map's order
			if got := p.Class(tt.t); got != tt.class || p.KeyArgument(tt.t) != tt.key {
				t.Fatalf("%s: got %s with key %q, want %s with %q", name, got, p.KeyArgument(tt.t), tt.class, tt.key)
			}
		}
	}
	d.Effects = nil
	for want, hint := range map[task.EffectClass]tool.Tool{
		task.ClassRead:       {Server: "ours", ReadOnly: true, Idempotent: true},
		task.ClassIdempotent: {Server: "ours", Idempotent: true},
		task.ClassWrite:      {Server: "ours"},
	} {
		if got := New(d).Class(hint); got != want {
			t.Errorf("hints %+v: got %s, want %s", hint, got, want)
		}
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, server, name string
		want                  bool
	}{
		{"a/b", "a", "b", true}, {"a/b", "a", "bb", false}, {"a/b", "aa", "b", false},
		{"a/*", "a", "", true}, {"a/*", "a", "x.y-z", true}, {"*/b", "x", "b", true}, {"*/*", "x", "y", true},
		{"a/get_*", "a", "get_", true}, {"a/get_*", "a", "forget_x", false}, {"a/*_it", "a", "do_it", true},
		{"a/a*a", "a", "a", false}, {"a/a*a", "a", "aa", true}, {"a/a*b*c", "a", "a-b-b-c", true}, {"a/a*b*c", "a", "a-c-b", false},
		{"a", "a", "", false}, {"a/b/c", "a", "b/c", true}, {"a*/b", "a/b", "b", true},
	} {
		if got := Match(tt.pattern, tt.server, tt.name); got != tt.want {
			t.Errorf("Match(%q, %q, %q) = %t", tt.pattern, tt.server, tt.name, got)
		}
	}
}

func TestUnmatched(t *testing.T) {
	t.Parallel()
	d := rules([]string{"ours/get_*", "ours/gone"}, nil, []string{"*/delete_*"}, "ask")
	d.Effects = map[string]definition.Effect{"ours/typo": {Class: "read"}}
	got := Unmatched(d, []tool.Tool{{Server: "ours", Name: "get_issue"}})
	slices.Sort(got)
	if diff := cmp.Diff([]string{"*/delete_*", "ours/gone", "ours/typo"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Without [, ? and \ a pattern is one of path.Match, but for the slash.
func FuzzGlob(f *testing.F) {
	f.Add("a*b*", "axxb")
	f.Add("**a", "aa")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		for _, s := range []string{pattern, text} {
			for _, c := range s {
				if c == '[' || c == '?' || c == '\\' || c == '/' || c == 0xfffd {
					t.Skip()
				}
			}
		}
		if want, err := path.Match(pattern, text); err == nil && glob(pattern, text) != want {
			t.Errorf("glob(%q, %q) = %t", pattern, text, !want)
		}
	})
}
