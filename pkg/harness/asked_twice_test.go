package harness_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// A connection that a person is asked for already is not asked for a second time, because another
// one was answered meanwhile.
func TestTwoServersNeedConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "  lab: { url: \"https://lab.example\", trusted: true }", text("Done."))
	w.tools.needs = []error{
		&tool.NeedsConnection{App: "hub", Reason: "to see its tools"}, &tool.NeedsConnection{App: "lab", Reason: "to see its tools"},
	}
	first := w.ask("Go")
	w.want(first, authority)
	second := w.answer(first, `"value":false`) // goes on without hub; lab's is still to be answered
	w.want(second, authority)
	if n := len(w.record(second).Pending); n != 1 {
		t.Errorf("pending are %+v, want the other server's connection alone", w.record(second).Pending)
	}
	w.want(w.answer(second, `"value":false`), completed)
}

// An app is asked for once, however many servers need it: before the first step, and by the calls of one.
func TestOneAppOfTwoServers(t *testing.T) {
	t.Parallel()
	lab := "  lab: { url: \"https://lab.example\", trusted: true, connection: code }"
	w := newWorld(t, lab, calls(`builtin__ask_user {"question":"Which?"}`), text("Done."))
	w.tools.need = &tool.NeedsConnection{App: "code", Reason: "to see its tools"}
	first := w.ask("Go")
	w.want(first, authority)
	w.tools.need = nil // for both
	second := w.answer(first, `"value":true`)
	w.want(second, input)
	if n := len(w.record(second).Pending); n != 1 {
		t.Errorf("pending are %+v, want the question alone", w.record(second).Pending)
	}
}

// a call that asked for its connection twice, and then shares the first question of another one,
// does not ask its own second one again.
func TestRoundsOfACallThatSharesAQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSlicedWorld(t, 10*time.Second, allowed, calls("hub__label {}", "hub__make {}"), text("Done."))
		need := &tool.NeedsConnection{App: "hub", Reason: "to use it"}
		w.tools.call = func(_ context.Context, c tool.Call, n int) tool.Outcome {
			switch {
			case c.Tool == "label" && n <= 4:
				if n == 3 {
					time.Sleep(time.Second) // the other one asks first
				}
				return need
			case c.Tool == "make" && n <= 2:
				time.Sleep(12 * time.Second) // beyond the slice
				return tool.NotSent{Reason: "down", Passing: true}
			case c.Tool == "make" && n == 3:
				return need
			case c.Tool == "make":
				time.Sleep(time.Second)
			}
			return tool.Answered{Text: "did"}
		}
		open := w.ask("Go")
		for open.Status.State == authority {
			open = w.answer(open, `"value":true`)
		}
		w.want(open, completed)
	})
}
