package agenttest

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// INT-04, INT-08, R-06, CONN-04: what is asked together is raised together, each under an id of
// its own, and only a call is planned: held, under the id of its approval.
func TestRaise(t *testing.T) {
	t.Parallel()
	for class, want := range map[task.EffectClass]task.EffectClass{
		"":                   task.ClassWrite,
		task.ClassRead:       task.ClassRead,
		task.ClassIdempotent: task.ClassIdempotent,
	} {
		r := newRecorder()
		got := r.mustSlice(t, &Agent{Class: class}, "say a; approve s/t why & ask which? & connect app: reason", nil)
		paused := agent.Paused{Asks: []interaction.Interaction{
			interaction.NewApproval("eff_1_0", "s", "t", "why"),
			interaction.NewQuestion("eff_1_1", "which?"),
			interaction.NewConnection("eff_1_2", "app", "reason"),
		}}
		if diff := cmp.Diff(agent.Outcome(paused), got, outcomes); diff != "" {
			t.Errorf("class %q: outcome (-want +got):\n%s", class, diff)
		}
		effects := map[string]task.Effect{
			"eff_1_0": {ID: "eff_1_0", Class: want, State: task.EffectHeld, Server: "s", Tool: "t"},
		}
		if diff := cmp.Diff(effects, r.effects); diff != "" {
			t.Errorf("class %q: effects (-want +got):\n%s", class, diff)
		}
	}
}

// CONN-06: the agent says what the answer was, and goes on with the next statement.
func TestGoesOnAfterAnAnswer(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ask    string
		answer interaction.Answer
		state  task.EffectState // of the call, if there is one
		want   string
	}{
		"question":       {"ask which?", value(`"main"`), "", `Answered: "main"`},
		"any value":      {"ask which?", value(`{"a":[1]}`), "", `Answered: {"a":[1]}`},
		"connected":      {"connect app: why", value(`true`), "", "Connected: app"},
		"connected, too": {"connect app: why", value(`{"connected":true}`), "", "Connected: app"},
		"not connected":  {"connect app: why", value(`false`), "", "Not connected: app"},
		"words":          {"connect app: why", value(`"yes"`), "", "Not connected: app"},
		"approved":       {"approve s/t why", interaction.Answer{Approved: true}, task.EffectApproved, "Called s/t"},
		"denied":         {"approve s/t why", interaction.Answer{}, task.EffectDenied, "tool.denied: s/t"},
		"denied, reason": {"approve s/t why", interaction.Answer{Reason: "no"}, task.EffectDenied, "tool.denied: s/t (no)"},
		// The record decides what a call may do, not the answer.
		"held": {"approve s/t why", interaction.Answer{Approved: true}, task.EffectHeld, ""},
	} {
		for script, want := range map[string]agent.Outcome{
			tt.ask:             completed(tt.want),
			tt.ask + "; say z": completed("z"),
		} {
			r := newRecorder()
			r.mustSlice(t, new(Agent), script, nil)
			if tt.state != "" {
				r.set("eff_0_0", tt.state)
			}
			if tt.want == "" {
				want = agent.Paused{}
			}
			got := r.mustSlice(t, new(Agent), script, map[string]interaction.Answer{"eff_0_0": tt.answer})
			if diff := cmp.Diff(want, got, outcomes); diff != "" {
				t.Errorf("%s: %q: outcome (-want +got):\n%s", name, script, diff)
			}
			var events []task.Event
			if tt.want != "" && script != tt.ask {
				events = []task.Event{agent.StatusText(tt.want)}
			}
			if diff := cmp.Diff(events, r.events); diff != "" {
				t.Errorf("%s: %q: events (-want +got):\n%s", name, script, diff)
			}
		}
	}
}

// answers come one by one and in any order. The agent waits for all, asks nothing again,
// and then says them in the order of the script.
func TestWaitsForAllAnswers(t *testing.T) {
	t.Parallel()
	const script = "approve s/one & approve s/two & ask which?; say done"
	all := map[string]interaction.Answer{"eff_0_0": {}, "eff_0_1": {Approved: true}, "eff_0_2": value("1")}
	for _, order := range [][]string{
		{"eff_0_0", "eff_0_1", "eff_0_2"},
		{"eff_0_2", "eff_0_1", "eff_0_0"},
		{"eff_0_1", "eff_0_0", "eff_0_2"},
	} {
		var calls []string
		a := &Agent{Call: func(_ context.Context, id, server, tool string) error {
			calls = append(calls, id+" "+server+"/"+tool)
			return nil
		}}
		r := newRecorder()
		r.mustSlice(t, a, script, nil)
		var got []agent.Outcome
		answers := map[string]interaction.Answer{}
		for _, id := range order {
			answers[id] = all[id]
			switch id {
			case "eff_0_0":
				r.set(id, task.EffectDenied)
			case "eff_0_1":
				r.set(id, task.EffectApproved)
			}
			got = append(got, r.mustSlice(t, a, script, answers))
		}
		want := []agent.Outcome{agent.Paused{}, agent.Paused{}, completed("done")}
		if diff := cmp.Diff(want, got, outcomes); diff != "" {
			t.Errorf("%v: outcomes (-want +got):\n%s", order, diff)
		}
		said := []task.Event{agent.StatusText("tool.denied: s/one\nCalled s/two\nAnswered: 1")}
		if diff := cmp.Diff(said, r.events); diff != "" {
			t.Errorf("%v: events (-want +got):\n%s", order, diff)
		}
		if diff := cmp.Diff([]string{"eff_0_1 s/two"}, calls); diff != "" {
			t.Errorf("%v: calls (-want +got):\n%s", order, diff)
		}
		if len(r.effects) != 0 {
			t.Errorf("%v: got effects %v left, want all settled", order, r.effects)
		}
	}
}

// a call of which nobody knows whether it went out waits for a person; the reason of
// a denial is that of the last round.
func TestDeniedInALaterRound(t *testing.T) {
	t.Parallel()
	const script = "approve s/t"
	r := newRecorder()
	r.mustSlice(t, new(Agent), script, nil)
	r.set("eff_0_0", task.EffectUnknown)
	answers := map[string]interaction.Answer{"eff_0_0": {Approved: true, Reason: "first"}}
	got := r.mustSlice(t, new(Agent), script, answers)
	if diff := cmp.Diff(agent.Outcome(agent.Paused{}), got, outcomes); diff != "" {
		t.Errorf("unknown: outcome (-want +got):\n%s", diff)
	}

	e := r.effects["eff_0_0"]
	e.State, e.Round = task.EffectDenied, 2
	r.effects[e.ID] = e
	answers["eff_0_0.2"] = interaction.Answer{Reason: "second"}
	got = r.mustSlice(t, new(Agent), script, answers)
	if diff := cmp.Diff(completed("tool.denied: s/t (second)"), got, outcomes); diff != "" {
		t.Errorf("denied: outcome (-want +got):\n%s", diff)
	}
}

// a call is made after its intent, under the context of that; one that fails has no outcome.
func TestFailedCall(t *testing.T) {
	t.Parallel()
	errAway := errors.New("away")
	var call context.Context
	r := newRecorder()
	a := &Agent{Call: func(ctx context.Context, id, _, _ string) error {
		call = ctx
		if got, want := r.effects[id].State, task.EffectSent; got != want {
			t.Errorf("got state %q during the call, want %q", got, want)
		}
		if err := ctx.Err(); err != nil {
			t.Errorf("got context error %v during the call, want none", err)
		}
		return errAway
	}}
	r.mustSlice(t, a, "approve s/t", nil)
	r.set("eff_0_0", task.EffectApproved)
	if _, err := r.slice(t.Context(), a, "approve s/t", nil); !errors.Is(err, errAway) {
		t.Errorf("got error %v, want %v", err, errAway)
	}
	if call.Err() == nil {
		t.Error("got the intent's context open after the call, want it done with")
	}
	if _, ok := r.rows["outcome/eff_0_0"]; ok {
		t.Error("got an outcome of a failed call, want none")
	}
	if _, ok := r.Effect("eff_0_0"); !ok {
		t.Error("got a failed call settled, want it kept")
	}
}

func value(v string) interaction.Answer { return interaction.Answer{Value: json.RawMessage(v)} }
