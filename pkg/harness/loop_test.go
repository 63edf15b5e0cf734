package harness_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

const (
	completed = a2a.TaskStateCompleted
	authority = a2a.TaskStateAuthRequired
	input     = a2a.TaskStateInputRequired
)

// An answer without calls ends the turn, as an artifact.
func TestAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", text("Hello."))
	done := w.ask("Hi")
	w.want(done, completed)
	if len(done.Artifacts) != 1 || fmt.Sprint(done.Artifacts[0].Parts[0].Content) != "Hello." {
		t.Errorf("artifacts %+v", done.Artifacts)
	}
	if r := w.model.seen[0]; r.System != "Be careful." || r.Messages[0].Text != "Hi" || len(r.Tools) != 5 || r.Tools[0].Name != "builtin__ask_user" {
		t.Errorf("the model was asked %+v", r)
	}
}

// HARN-01, HARN-02, INT-13: a held call waits, and goes out once, as it was frozen.
func TestApproved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls(`hub__make {"title": "secret plan"}`), text("Done."))
	held := w.ask("Make it")
	w.want(held, authority)
	a := asks(held)
	if a.Prompt != "Approve hub / make?" || a.Detail["server"] != "hub" || a.Detail["tool"] != "make" || len(w.tools.made) != 0 {
		t.Errorf("asks %+v after calls %v", a, w.tools.made)
	}
	done := w.answer(held, `"approved":true`)
	w.want(done, completed)
	if got := w.tools.made; len(got) != 1 || string(got[0].Arguments) != `{"title":"secret plan"}` || got[0].EffectID != a.InteractionID || got[0].Hash != "h3" {
		t.Errorf("calls %+v", got)
	}
	if got := w.model.last().Results[0]; got.Text != "did make" || got.Error {
		t.Errorf("the model was told %+v", got)
	}
	whole := fmt.Sprintf("%+v", done) // arguments go nowhere
	if strings.Contains(whole, "secret plan") {
		t.Errorf("the task tells the arguments: %s", whole)
	}
}

// What can't be made is told to the model and never shown to a person.
func TestRefusedCalls(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "permissions: { deny: [\"hub/wipe\"] }",
		calls("hub__none {}", `hub__make {"title": 3}`, `hub__make {"tit`, `hub__make {"other": "x"}`, "hub__make null", "hub__make [1]", "hub__wipe {}"), text("Oh."))
	w.want(w.ask("Do it"), completed)
	want := []string{"tool.none:", "tool.invalid:", "tool.invalid:", "tool.invalid:", "tool.invalid:", "tool.invalid:", "tool.denied:"}
	for i, r := range w.model.last().Results {
		if !strings.HasPrefix(r.Text, want[i]) || !r.Error {
			t.Errorf("call %d: told %+v, want %s", i, r, want[i])
		}
	}
	if len(w.tools.made) != 0 {
		t.Errorf("calls %v", w.tools.made)
	}
}

// HARN-04, INT-15: a question waits for a person; any value answers it.
func TestQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls(`builtin__ask_user {"question": "Which branch?"}`), text("Thanks."))
	q := w.ask("Go")
	w.want(q, input)
	if a := asks(q); a.Prompt != "Which branch?" || a.Kind != "question" {
		t.Errorf("asks %+v", a)
	}
	w.want(w.answer(q, `"value":{"branch":"main"}`), completed)
	if got := w.model.last().Results[0].Text; got != `{"branch":"main"}` {
		t.Errorf("the model was told %s", got)
	}
}

// HARN-04: off where it is switched off.
func TestNoQuestions(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "loop: { questions: false }", calls(`builtin__ask_user {"question":"?"}`), text("Well."))
	w.want(w.ask("Go"), completed)
	if got := w.model.last().Results[0].Text; len(w.model.seen[0].Tools) != 4 || !strings.HasPrefix(got, "tool.none: ") {
		t.Errorf("told %q, of %d tools", got, len(w.model.seen[0].Tools))
	}
}

// CONN-01 to CONN-07: off unless switched on, cut, asked word for word, read leniently.
func TestRequestConnection(t *testing.T) {
	t.Parallel()
	off := newWorld(t, "", text("Hi."))
	off.ask("Hi")
	for _, tl := range off.model.seen[0].Tools {
		if strings.Contains(tl.Name, "connection") {
			t.Errorf("%s is offered although it is off", tl.Name)
		}
	}
	long := strings.Repeat("ä", 81)
	for value, want := range map[string]string{
		`"value":{"connected":true}`: "Connected: ", `"value":true`: "Connected: ", `"approved":true`: "Connected: ",
		`"value":{"connected":false}`: "Not connected: ", `"value":"yes"`: "Not connected: ", `"approved":false`: "Not connected: ",
	} {
		w := newWorld(t, "loop: { connections: true }", calls(`builtin__request_connection {"app": "`+long+`", "reason": "to see it"}`), text("Ok."))
		q := w.ask("Go")
		w.want(q, authority)
		if a := asks(q); a.Prompt != "Connect "+long[:160]+": to see it" || a.Detail["app"] != long[:160] || a.Detail["reason"] != "to see it" {
			t.Errorf("asks %+v", a)
		}
		w.want(w.answer(q, value), completed)
		if got := w.model.last().Results[0].Text; got != want+long[:160] {
			t.Errorf("%s: the model was told %q, want %q", value, got, want)
		}
	}
}

// what surely did nothing is tried again; a write of which nobody knows is asked about, under
// a new id, and made again only if a person says so.
func TestUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		again string
		want  string
		calls int
	}{{`"approved":true`, "did make", 2}, {`"approved":false`, "tool.unknown: ", 1}} {
		w := newWorld(t, "", calls("hub__make {}"), text("Done."))
		w.tools.call = func(_ context.Context, c tool.Call, n int) tool.Outcome {
			if n == 1 {
				return tool.Unknown{Reason: "connection reset"}
			}
			return tool.Answered{Text: "did " + c.Tool}
		}
		held := w.ask("Make it")
		unsure := w.answer(held, `"approved":true`)
		w.want(unsure, authority)
		if a := asks(unsure); a.InteractionID != asks(held).InteractionID+".2" || a.Prompt != "hub / make may already have run. Send it again?" {
			t.Errorf("asks %+v", a)
		}
		w.want(w.answer(unsure, tt.again), completed)
		if got := w.model.last().Results[0].Text; !strings.HasPrefix(got, tt.want) || len(w.tools.made) != tt.calls {
			t.Errorf("%s: told %q after %d calls, want %q after %d", tt.again, got, len(w.tools.made), tt.want, tt.calls)
		}
	}
}

// A server that wants another token makes the turn ask for a connection, and the call goes out
// after it; declined, it does not.
func TestNeedsConnection(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{`"value":{"connected":true}`: "did make", `"value":{"connected":false}`: "tool.not_connected: "} {
		w := newWorld(t, "permissions: { allow: [\"hub/make\"] }", calls("hub__make {}"), text("Done."))
		w.tools.call = func(_ context.Context, c tool.Call, n int) tool.Outcome {
			if n == 1 {
				return &tool.NeedsConnection{App: "hub", Reason: "to make it"}
			}
			return tool.Answered{Text: "did " + c.Tool}
		}
		q := w.ask("Make it")
		w.want(q, authority)
		if a := asks(q); a.Prompt != "Connect hub: to make it" || a.Kind != "connection" {
			t.Errorf("asks %+v", a)
		}
		w.want(w.answer(q, value), completed)
		if got := w.model.last().Results[0].Text; !strings.HasPrefix(got, want) {
			t.Errorf("%s: told %q, want %q", value, got, want)
		}
	}
}

// The same before the first step, where tools are listed.
func TestNeedsConnectionToList(t *testing.T) {
	t.Parallel()
	for value, offered := range map[string]int{"true": 5, "false": 1} {
		w := newWorld(t, "", text("Done."))
		w.tools.need = &tool.NeedsConnection{App: "hub", Reason: "to see its tools"}
		q := w.ask("Go")
		w.want(q, authority)
		if value == "true" {
			w.tools.mu.Lock()
			w.tools.need = nil
			w.tools.mu.Unlock()
		}
		w.want(w.answer(q, `"value":`+value), completed)
		if n := len(w.model.seen[0].Tools); n != offered {
			t.Errorf("%s: %d tools are offered, want %d", value, n, offered)
		}
	}
}

// A model call that fails in passing is tried again; one that does not is the end.
func TestModelFailures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", answer{text: "Hello.", err: &model.Error{Kind: model.KindCut}})
	w.want(w.ask("Hi"), completed)
	for kind, want := range map[model.Kind]string{model.KindRefused: "refused", model.KindContext: "too long"} {
		w := newWorld(t, "", answer{err: &model.Error{Kind: kind, Reason: "key sk-secret"}})
		failed := w.ask("Hi")
		w.want(failed, a2a.TaskStateFailed)
		if got := fmt.Sprint(failed.Status.Message.Parts); !strings.Contains(got, want) || strings.Contains(got, "sk-secret") {
			t.Errorf("%s: %s", kind, got)
		}
	}
}

// Bounds of a turn: what it may use it may use whole. Waits for people are not work.
func TestBounds(t *testing.T) {
	for _, tt := range []struct{ name, front, want string }{
		{"two steps", "loop: { maxSteps: 2 }", "Done."},
		{"less tokens than a step uses", "loop: { budget: { tokens: 10 } }", "The agent used its budget of 10 tokens."},
		{"as many tokens as a step uses", "loop: { budget: { tokens: 15 } }", "The agent used its budget of 15 tokens."},
		{"more tokens than a step uses", "loop: { budget: { tokens: 16 } }", "Done."},
		{"less time than a step takes", "loop: { turnTimeout: 59s }", "The agent did not finish within 59s of work."},
		{"as much time as a step takes", "loop: { turnTimeout: 60s }", "Done."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, tt.front, calls("hub__make {}"), text("Done."))
				w.model.during = func(context.Context) { time.Sleep(30 * time.Second) }
				w.tools.call = func(context.Context, tool.Call, int) tool.Outcome {
					time.Sleep(30 * time.Second)
					return tool.Answered{Text: "made"}
				}
				held := w.ask("Go")
				w.want(held, authority)
				time.Sleep(time.Hour)
				if got := lastWords(w.answer(held, `"approved":true`)); got != tt.want || len(w.tools.made) != 1 {
					t.Errorf("%q after %d calls, want %q", got, len(w.tools.made), tt.want)
				}
			})
		})
	}
}

// A call that is allowed does not wait for a person's answer to a question beside it.
func TestCallBesideAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls(`builtin__ask_user {"question":"?"}`, "hub__get {}"), text("Done."))
	q := w.ask("Go")
	w.want(q, input)
	if len(w.tools.made) != 1 {
		t.Errorf("calls %v before the answer", w.tools.made)
	}
	w.want(w.answer(q, `"value":1`), completed)
}

// the effect's id goes along in the argument that the tool knows it by.
func TestKeyArgument(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "effects: { hub/make: { class: idempotent, key: { argument: title } } }\npermissions: { allow: [hub/make] }",
		calls(`hub__make {"title":"x"}`), text("Done."))
	w.want(w.ask("Go"), completed)
	if c := w.tools.made[0]; string(c.Arguments) != `{"title":"`+c.EffectID+`"}` {
		t.Errorf("sent %s for %s", c.Arguments, c.EffectID)
	}
}
