package agenttest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]statement{
		"":                 nil,
		" \n\t":            nil,
		";; ;":             nil,
		"say a":            {{verb: "say", text: "a"}},
		"  say   a b  ":    {{verb: "say", text: "a b"}},
		"say a;say b":      {{verb: "say", text: "a"}, {verb: "say", text: "b"}},
		";say a;;\nsay b;": {{verb: "say", text: "a"}, {verb: "say", text: "b"}},
		"piece a b":        {{verb: "piece", text: "a b"}},
		"message a":        {{verb: "message", text: "a"}},
		"fail a":           {{verb: "fail", text: "a"}},
		"reject a":         {{verb: "reject", text: "a"}},
		"sleep 1.5s":       {{verb: "sleep", text: "1.5s"}},
		"sleep 0":          {{verb: "sleep", text: "0"}},
		"crash":            {{verb: "crash"}},
		"say a & ask b":    {{verb: "say", text: "a & ask b"}},

		"artifact text a b":     {{verb: "artifact", text: "text a b"}},
		`artifact data {"a":1}`: {{verb: "artifact", text: `data {"a":1}`}},
		"artifact data null":    {{verb: "artifact", text: "data null"}},
		"artifact raw aGk=":     {{verb: "artifact", text: "raw aGk="}},
		"artifact url file:a":   {{verb: "artifact", text: "url file:a"}},

		"approve s/t": {{asks: []ask{{verb: "approve", server: "s", tool: "t"}}}},
		"approve s/t one\nor two": {{asks: []ask{
			{verb: "approve", server: "s", tool: "t", text: "one\nor two"},
		}}},
		"approve s-1.x/t_2  to see": {{asks: []ask{
			{verb: "approve", server: "s-1.x", tool: "t_2", text: "to see"},
		}}},
		"ask a&ask b":    {{asks: []ask{{verb: "ask", text: "a&ask b"}}}},
		"ask which one?": {{asks: []ask{{verb: "ask", text: "which one?"}}}},
		"connect my app : to: see": {{asks: []ask{
			{verb: "connect", app: "my app", text: "to: see"},
		}}},
		"approve s/t & ask a  &  connect b: c": {{asks: []ask{
			{verb: "approve", server: "s", tool: "t"},
			{verb: "ask", text: "a"},
			{verb: "connect", app: "b", text: "c"},
		}}},
		"ask a; approve s/t": {
			{asks: []ask{{verb: "ask", text: "a"}}},
			{asks: []ask{{verb: "approve", server: "s", tool: "t"}}},
		},
	} {
		got := parse(message(a2a.Text(text)))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(statement{}, ask{})); diff != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", text, diff)
		}
	}
}

// Text that is no statement is echoed, and so is one that is wrong in its text.
func TestParseEchoes(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"hello there", "Say a", "says a", "echo", "&", "& ask a &",
		"say", "piece", "message", "fail", "reject",
		"crash now", "sleep", "sleep soon", "sleep 1", "sleep -1s",
		"artifact", "artifact text", "artifact url", "artifact raw", "artifact data",
		"artifact data {", "artifact data 1 2", "artifact raw ?", "artifact film a",
		"approve", "approve s", "approve s/", "approve /t", "approve s/t/u", "approve a b/c",
		"ask", "connect", "connect app", "connect : reason", "connect app:",
		"ask salt & pepper?", "ask a & say b",
	} {
		want := []statement{{verb: "echo", text: strings.TrimSpace(text)}}
		got := parse(message(a2a.Text(text)))
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(statement{}, ask{})); diff != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", text, diff)
		}
	}
}

// The script is the first text of the message, wherever that stands.
func TestParseReadsTheFirstText(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		m    a2a.Message
		want []statement
	}{
		"no part":     {a2a.Message{}, nil},
		"no text":     {message(a2a.Data(`"say a"`), nil), nil},
		"behind data": {message(a2a.Data(`1`), a2a.Text("say a"), a2a.Text("say b")), []statement{{verb: "say", text: "a"}}},
		"first empty": {message(a2a.Text(""), a2a.Text("say b")), nil},
	} {
		got := parse(tt.m)
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(statement{}, ask{})); diff != "" {
			t.Errorf("%s: script (-want +got):\n%s", name, diff)
		}
	}
}

func message(contents ...a2a.Content) a2a.Message {
	m := a2a.Message{Role: a2a.RoleUser}
	for _, c := range contents {
		m.Parts = append(m.Parts, a2a.Part{Content: c})
	}
	return m
}
