package script

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

const file = `
- when: pull request
  steps:
    - say: Let me see.
      calls:
        - tool: hub__get
          arguments: { id: 7 }
        - tool: hub__list
    - say: "It says {result}."
- steps:
    - say: "You said: {request}"
`

func user(text string) model.Message { return model.Message{Role: model.RoleUser, Text: text} }

func TestStream(t *testing.T) {
	t.Parallel()
	m, err := Read([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	var streamed strings.Builder
	tell := func(s string) { streamed.WriteString(s) }
	asked := []model.Message{user("before"), {Role: model.RoleAssistant, Text: "yes"}, user("Open a Pull Request")}
	first, err := m.Stream(t.Context(), model.Request{Messages: asked}, tell)
	if err != nil {
		t.Fatal(err)
	}
	want := model.Message{Role: model.RoleAssistant, Text: "Let me see.", From: "script", Calls: []model.Call{
		{ID: "call_0_0", Name: "hub__get", Arguments: []byte(`{"id":7}`)}, {ID: "call_0_1", Name: "hub__list", Arguments: []byte("{}")},
	}}
	if diff := cmp.Diff(want, first.Message); diff != "" || first.Stop != model.StopCalls || streamed.String() != "Let me see." {
		t.Errorf("stop %s, streamed %q (-want +got):\n%s", first.Stop, streamed.String(), diff)
	}
	results := model.Message{Role: model.RoleTool, Results: []model.Result{{CallID: "call_0_0", Text: "no"}, {CallID: "call_0_1", Text: "seven"}}}
	second, err := m.Stream(t.Context(), model.Request{Messages: append(asked, first.Message, results)}, tell)
	if err != nil || second.Message.Text != "It says seven." || second.Stop != model.StopEnd || second.Usage.Input == 0 {
		t.Errorf("got %+v, %v", second, err)
	}
	other, err := m.Stream(t.Context(), model.Request{Messages: []model.Message{user("hi")}}, tell)
	if err != nil || other.Message.Text != "You said: hi" {
		t.Errorf("got %+v, %v", other, err)
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	ask := model.Request{Messages: []model.Message{user("x")}}
	for name, want := range map[string]model.Kind{"busy": model.KindBusy, "cut": model.KindCut, "context": model.KindContext, "refused": model.KindRefused} {
		_, err := New(Scene{Steps: []Step{{Fault: name}}}).Stream(t.Context(), ask, func(string) {})
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != want {
			t.Errorf("%s: got %v", name, err)
		}
	}
	cut, err := New(Scene{Steps: []Step{{Fault: "length", Say: "half a", Calls: []Call{{Tool: "t"}}}}}).Stream(t.Context(), ask, func(string) {})
	if err != nil || cut.Stop != model.StopLength || len(cut.Message.Calls) != 0 {
		t.Errorf("length: got %+v, %v, want its calls dropped", cut, err)
	}
	over := append(ask.Messages, model.Message{Role: model.RoleAssistant, Text: "done"})
	for name, r := range map[string]model.Request{"a step too many": {Messages: over}, "no scene": {Messages: []model.Message{user("y")}}} {
		if _, err := New(Scene{When: "x", Steps: []Step{{Say: "done"}}}).Stream(t.Context(), r, func(string) {}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(Scene{Steps: []Step{{Say: "a b"}}}).Stream(ended, ask, func(string) {}); err == nil {
		t.Error("a call that was given up has an answer")
	}
}

func TestRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"- stepz: []":                        "line 1",
		"- when: x":                          "scene 1 has no steps",
		"- steps: [{ }]":                     "says nothing",
		"- steps: [{ fault: boom }]":         `no fault "boom"`,
		"- steps: [{ calls: [{ }] }]":        "names no tool",
		"- steps: [{ say: [a] }]":            "line 1",
		"when: x":                            "line 1",
		"- steps:\n    - say: a\n      b: c": "line 3",
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}
