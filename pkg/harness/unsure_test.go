package harness_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/queue"
)

// lost is a call that may have had its effect.
var lost = tool.Unknown{Reason: "The connection was lost."}

// after an attempt that may have had its effect the model is never told that the call was not
// made: it would make it anew.
func TestMaybeMade(t *testing.T) {
	away, busy := tool.NotSent{Reason: "refused"}, tool.NotSent{Reason: "busy", Passing: true}
	app := &tool.NeedsConnection{App: "hub", Reason: "r"}
	for _, tt := range []struct {
		name    string
		tool    string
		slice   time.Duration
		come    []tool.Outcome // of its attempts
		answers []string       // of the person
	}{
		{"idempotent, then refused", "label", 0, []tool.Outcome{lost, away}, nil},
		{"idempotent, then away", "label", 0, []tool.Outcome{lost, busy, busy}, nil},
		{"idempotent, then another tool", "label", 0, []tool.Outcome{lost, tool.Changed{}}, nil},
		{"idempotent, then in another slice", "label", time.Second, []tool.Outcome{lost, away}, nil},
		{"idempotent, then not connected", "label", 0, []tool.Outcome{lost, app}, []string{`"value":false`}},
		{"idempotent, connected, then refused", "label", 0, []tool.Outcome{lost, app, away}, []string{`"value":true`}},
		{"sent again, then refused", "make", 0, []tool.Outcome{lost, away}, []string{`"approved":true`}},
		{"sent again, then away", "make", 0, []tool.Outcome{lost, busy, busy, busy}, []string{`"approved":true`}},
		{"sent again, then another tool", "make", 0, []tool.Outcome{lost, tool.Changed{}}, []string{`"approved":true`}},
		{"sent again, then not connected", "make", 0, []tool.Outcome{lost, app}, []string{`"approved":true`, `"value":false`}},
		{"not sent again", "make", 0, []tool.Outcome{lost}, []string{`"approved":false`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newSlicedWorld(t, tt.slice, "permissions: { allow: [hub/*] }", calls("hub__"+tt.tool+" {}"), text("Done."))
				w.tools.call = func(_ context.Context, _ tool.Call, n int) tool.Outcome { return tt.come[n-1] }
				task := w.ask("Go")
				for _, a := range tt.answers {
					task = w.answer(task, a)
				}
				w.want(task, completed)
				if got := w.model.last().Results[0].Text; !strings.HasPrefix(got, "tool.unknown: It may or may not have happened") || len(w.tools.made) != len(tt.come) {
					t.Errorf("the model is told %q after %d calls", got, len(w.tools.made))
				}
			})
		})
	}
}

// A call that only reads has no effect to be unsure of.
func TestReadNotMade(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "permissions: { allow: [hub/*] }", calls("hub__get {}"), text("Done."))
		w.tools.call = func(_ context.Context, _ tool.Call, n int) tool.Outcome {
			return []tool.Outcome{lost, tool.NotSent{Reason: "refused"}}[n-1]
		}
		w.want(w.ask("Go"), completed)
		if got := w.model.last().Results[0].Text; !strings.HasPrefix(got, "tool.unreachable: The call was not made") {
			t.Errorf("the model is told %q", got)
		}
	})
}

// R-33, protocol rule 4: the clock is asked before each attempt, not the first alone. A machine that
// slept between two, while another took over and a person said no, makes no further one.
func TestNoAttemptBeyondTheLease(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "permissions: { allow: [hub/*] }", calls("hub__make {}"), text("Done."))
		w.tools.call = func(_ context.Context, _ tool.Call, n int) tool.Outcome {
			if n > 1 {
				t.Error("a call goes out after a person denied it")
				return tool.Answered{}
			}
			w.behind += time.Minute // the clock goes on, timers don't
			r := w.records()[0]
			w.worker.Handle(context.Background(), queue.Delivery{Poke: queue.Poke{Key: r.Key, Hint: a2a.TaskStateWorking}, Receipt: "another's"})
			r = w.records()[0]
			asked := a2a.Task{ID: r.ID, ContextID: r.ContextID, Status: r.Status}
			out := w.deliver(reply(asked, asks(asked).InteractionID, `"approved":false`), a2a.SendMessageConfiguration{ReturnImmediately: true})
			if out.Err != nil {
				t.Error(out.Err)
			}
			return tool.NotSent{Reason: "busy", Passing: true}
		}
		w.ask("Go")
		time.Sleep(10 * time.Minute)
		if r := w.records()[0]; r.Status.State != completed || len(w.tools.made) != 1 {
			t.Errorf("%s after %d calls", r.Status.State, len(w.tools.made))
		}
	})
}

// Deployed meanwhile, another definition is for other turns: one that waits at its beginning, too,
// goes on with its own.
func TestDefinitionOfATurnThatWaitsToBegin(t *testing.T) {
	for name, file := range map[string]string{
		"allows what was denied": "---\nname: coder\ndescription: d\nmcpServers:\n  hub: { url: \"https://hub.example\" }\npermissions: { allow: [hub/*] }\n---\nBe bold.",
		"has a server before":    "---\nname: coder\ndescription: d\nmcpServers:\n  a: { url: \"https://a.example\" }\n  hub: { url: \"https://hub.example\" }\n---\nBe bold.",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "permissions: { deny: [hub/wipe] }", calls("hub__wipe {}"), text("Done."))
			w.tools.need = &tool.NeedsConnection{App: "hub", Reason: "r"}
			open := w.ask("Go")
			w.want(open, authority)
			w.deploy(file)
			w.tools.need = nil
			w.want(w.answer(open, `"value":true`), completed)
			if len(w.tools.made) != 0 || w.model.seen[0].System != "Be careful." {
				t.Errorf("%v was called under %q", w.tools.names(), w.model.seen[0].System)
			}
		})
	}
}

// An answer that was cut is made anew where calls were cut off with it, and else says that it was cut.
func TestCallsCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "", answer{text: "I will.", stop: model.StopLength})
		if m := w.ask("Go").Status.Message; m == nil || !strings.Contains(string(m.Parts[0].Content.(a2a.Text)), "ends early") {
			t.Errorf("nobody is told that the answer was cut: %+v", m)
		}
		w = newWorld(t, "", answer{text: "I will.", stop: model.StopLength, dropped: true})
		ended := w.ask("Go")
		w.want(ended, a2a.TaskStateFailed)
		if len(w.model.seen) != 3 || len(ended.Artifacts) != 0 {
			t.Errorf("%d calls of the model, artifacts %v", len(w.model.seen), ended.Artifacts)
		}
	})
}

// Nobody is asked to approve a call whose result no step is left to read.
func TestNoCallsInTheLastStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "loop: { maxSteps: 1 }", calls("hub__make {}"))
	ended := w.ask("Go")
	w.want(ended, a2a.TaskStateFailed)
	if got := lastWords(ended); got != "The agent did not finish within 1 steps." || len(w.tools.made) != 0 {
		t.Errorf("%q after %d calls", got, len(w.tools.made))
	}
}

// A request without text is one still.
func TestRequestWithoutText(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", text("Hello."))
	w.want(w.ask(""), completed)
	if m := w.model.seen[0].Messages; len(m) != 1 || m[0].Text == "" {
		t.Errorf("the model is shown %+v", m)
	}
}

// R9: what the deployment denies by now ends in a denial, also where a lost run had sent it.
func TestDeniedAfterALostRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "permissions: { allow: [hub/*] }", calls("hub__label {}"), text("Done."))
		w.tools.call = func(_ context.Context, _ tool.Call, n int) tool.Outcome {
			w.behind += time.Minute // the run is lost with its call
			w.denied[0] = "hub/label"
			w.deploy("---\nname: coder\ndescription: d\nmcpServers:\n  hub: { url: \"https://hub.example\", trusted: true }\npermissions: { allow: [hub/*] }\n---\nBe careful.")
			return lost
		}
		w.want(w.ask("Go"), completed)
		if got := w.model.last().Results[0].Text; !strings.HasPrefix(got, "tool.unknown: ") || len(w.tools.made) != 1 {
			t.Errorf("the model is told %q after %d calls", got, len(w.tools.made))
		}
	})
}

// A question is held to what can be kept of it, in bytes: the model is told, and the task goes on.
func TestLongQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls(`builtin__ask_user {"question":"`+strings.Repeat("\u2028", 4000)+`"}`), text("Done."))
	w.want(w.ask("Go"), completed)
	if got := w.model.last().Results[0].Text; !strings.HasPrefix(got, "tool.invalid: ") {
		t.Errorf("the model is told %q", got)
	}
}
