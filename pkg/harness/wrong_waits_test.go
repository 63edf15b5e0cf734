package harness_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/inspect"
	"github.com/interlude-a2a/interlude/pkg/harness/policy"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// R8, R-42: a wait that nobody ends is no approval and no denial: the call is not made, the model is
// told, and the turn goes on. Without approvalTtl it lasts for good. Waiting costs no model call.
func TestR8_ApprovalNeverExpires(t *testing.T) {
	const asking = "permissions: { ask: [hub/*] }\nloop: { connections: true, approvalTtl: 2h }"
	for _, tt := range []struct{ name, front, call, want string }{
		{"approval", asking, "hub__make {}", "tool.expired: Nobody answered in time; the call was not made."},
		{"question", asking, `builtin__ask_user {"question":"?"}`, "tool.expired: Nobody answered in time."},
		{"connection", asking, `builtin__request_connection {"app":"a","reason":"r"}`, "tool.expired: Nobody answered in time."},
		{"no limit", "permissions: { ask: [hub/*] }", "hub__make {}", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, tt.front, calls(tt.call), text("Well."))
				held := w.ask("Go")
				time.Sleep(2*time.Hour - time.Minute)
				w.recover()
				if r := w.record(held); !r.Status.State.Interrupted() || len(w.model.seen) != 1 {
					t.Fatalf("%s early, after %d model calls", r.Status.State, len(w.model.seen))
				}
				time.Sleep(2 * time.Minute)
				if tt.want == "" {
					w.recover()
					w.want(w.answer(held, `"approved":true`), completed)
					return
				}
				w.refused(reply(held, asks(held).InteractionID, `"approved":true`), a2a.CodeUnsupportedOperation)
				w.recover()
				if r := w.record(held); r.Status.State != completed || len(w.tools.made) != 0 {
					t.Fatalf("%s after calls %v", r.Status.State, w.tools.made)
				}
				if got := w.model.last().Results[0]; got.Text != tt.want || !got.Error {
					t.Errorf("told %+v, want %q", got, tt.want)
				}
			})
		})
	}
}

// R9, R-30: cancel closes the card, a late answer finds nothing open, and the context's next message
// gets its turn.
func TestR9_CancelLeavesACardOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "", calls("hub__make {}", `builtin__ask_user {"question":"?"}`))
		held := w.ask("Go")
		w.want(held, authority)
		w.cancel(held.ID)
		w.refused(reply(held, asks(held).InteractionID, `"approved":true`), a2a.CodeUnsupportedOperation)
		w.poke(held)
		if r := w.record(held); len(r.Pending) != 0 || r.Status.State != a2a.TaskStateCanceled || len(w.tools.made) != 0 || len(w.model.seen) != 1 {
			t.Errorf("%+v after calls %v and %d model calls", r, w.tools.made, len(w.model.seen))
		}
		w.goesOn(held.ContextID)
	})
}

// R9: a call that is under way when its task is canceled may end as it likes.
func TestR9_CancelLeavesACallUnanswered(t *testing.T) {
	for name, late := range map[string]func(ctx context.Context) tool.Outcome{
		"given up":        func(ctx context.Context) tool.Outcome { <-ctx.Done(); return tool.Unknown{Reason: "it was given up"} },
		"answered late":   func(ctx context.Context) tool.Outcome { <-ctx.Done(); return tool.Answered{Text: "made"} },
		"answered sooner": func(context.Context) tool.Outcome { return tool.Answered{Text: "made"} },
		"not known":       func(context.Context) tool.Outcome { return tool.Unknown{Reason: "it was cut"} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "permissions: { allow: [hub/*] }", calls("hub__make {}", "hub__get {}"))
				w.tools.call = func(ctx context.Context, c tool.Call, _ int) tool.Outcome {
					if c.Tool == "make" {
						w.cancel(w.records()[0].ID)
						return late(ctx)
					}
					return tool.Answered{Text: "got"}
				}
				gone := w.ask("Go")
				w.want(gone, a2a.TaskStateCanceled)
				at := w.record(gone)
				w.poke(gone)
				after := w.record(gone)
				after.Wake = at.Wake
				if diff := cmp.Diff(at, after); diff != "" || len(w.model.seen) != 1 {
					t.Errorf("the call's end changed the record, or the model was called again (-want +got):\n%s", diff)
				}
				w.goesOn(gone.ContextID)
			})
		})
	}
}

func (w *world) cancel(id string) {
	w.Helper()
	if out := w.call("CancelTask", a2a.CancelTaskRequest{ID: id}); out.Err != nil {
		w.Errorf("cancel: %v", out.Err)
	}
}

// goesOn has the context take another message, whose turn sees no call without its result.
func (w *world) goesOn(contextID string) {
	w.Helper()
	w.model.answers = []answer{text("Hello again.")}
	w.want(w.send(a2a.Message{ContextID: contextID, Parts: []a2a.Part{{Content: a2a.Text("Still there?")}}}), completed)
}

// R10: rules that match no tool are told of when an agent is looked at.
func TestR10_RulesThatSilentlyDoNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	d, err := definition.Parse([]byte(`---
name: coder
description: d
mcpServers: { hub: { url: "https://hub.example" } }
permissions: { allow: ["hub/get", "hub/get_*"], ask: ["hub/Make", "hub/*"], deny: ["hub/delete_*", "*/wipe"] }
effects: { hub/make: { class: idempotent }, hub/lable: { class: read } }
---
Be careful.`))
	if err != nil {
		t.Fatal(err)
	}
	r := inspect.Inspect(t.Context(), d, func(string, definition.Server) (tool.Server, error) {
		return &tools{list: w.tools.list}, nil
	})
	want := []string{"hub/delete_*", "hub/Make", "hub/get_*", "hub/lable"}
	if diff := cmp.Diff(want, r.Unmatched); diff != "" || r.OK() {
		t.Errorf("all is well: %t (-want +got):\n%s", r.OK(), diff)
	}
}

// R11: an approval counts for one call. The same call beside it, in the next step or in the
// context's next task is asked about again.
func TestR11_AlwaysAllowGrows(t *testing.T) {
	t.Parallel()
	const same = `hub__make {"title":"x"}`
	w := newWorld(t, "", calls(same, same), calls(same), text("Done."))
	open := w.ask("Make it")
	seen := map[string]bool{}
	for n := range 3 {
		w.want(open, authority)
		if id := asks(open).InteractionID; seen[id] || len(w.tools.made) != n {
			t.Fatalf("%s is asked after %d calls and %d approvals", id, len(w.tools.made), n)
		}
		seen[asks(open).InteractionID] = true
		open = w.answer(open, `"approved":true`)
	}
	w.want(open, completed)
	w.model.answers = []answer{{}, calls(same), text("Done.")} // the first is in the conversation
	again := w.send(a2a.Message{ContextID: open.ContextID, Parts: []a2a.Part{{Content: a2a.Text("Once more")}}})
	w.want(again, authority)
	if len(w.tools.made) != 3 || seen[asks(again).InteractionID] {
		t.Errorf("%d calls after three approvals, and %+v is asked", len(w.tools.made), asks(again))
	}
}

// R12: a call that was denied twice is not asked about again; the model is told each time. A call is
// known by what the model wrote, whatever key goes along.
func TestR12_ModelRetriesADeniedCall(t *testing.T) {
	t.Parallel()
	const told = "tool.denied: The person did not approve this call. Do not repeat it unless they ask."
	for _, front := range []string{"", "effects: { hub/make: { class: idempotent, key: { argument: title } } }"} {
		w := newWorld(t, front, calls(`hub__get {"title":"1"}`, "hub__make {}"), calls("hub__make {}"), calls(`hub__get {"title":"2"}`, "hub__make { }"), calls("hub__wipe {}"), text("Enough."))
		open := w.ask("Go")
		for _, tl := range []string{"make", "make", "wipe"} { // the third make denies itself
			w.want(open, authority)
			if got := asks(open).Detail["tool"]; got != tl {
				t.Errorf("%s is asked about, want %s", got, tl)
			}
			open = w.answer(open, `"approved":false`)
		}
		w.want(open, completed)
		for _, m := range w.model.seen[len(w.model.seen)-1].Messages {
			for _, r := range m.Results {
				if r.Text != "did get" && (r.Text != told || !r.Error) {
					t.Errorf("the model was told %+v", r)
				}
			}
		}
		if got := fmt.Sprint(w.tools.names()); got != "[get get]" {
			t.Errorf("calls %s", got)
		}
	}
}

// R12: one made over and over is held, though it is allowed; another call between starts anew.
func TestR12_ModelRepeatsACall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls("hub__get {}"), calls("hub__get {}"), calls(`hub__get {"title":"x"}`),
		calls("hub__get {}"), calls("hub__get {}"), calls("hub__get {}"), text("Enough."))
	open := w.ask("Go")
	w.want(open, authority)
	if a := asks(open); a.Detail["tool"] != "get" || a.Detail["reason"] != "The agent has made the same call twice just before." || len(w.tools.made) != 5 {
		t.Errorf("asks %+v after %d calls, want after 5", a, len(w.tools.made))
	}
	w.want(w.answer(open, `"approved":true`), completed)
	if len(w.tools.made) != 6 {
		t.Errorf("%d calls, want 6", len(w.tools.made))
	}
}

// R12: calls of one message are in a row too.
func TestR12_ModelRepeatsACallAtOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls("hub__get {}"), calls("hub__get {}", `hub__get {"title":"x"}`, "hub__get { }", "hub__get {}"), text("Enough."))
	open := w.ask("Go")
	w.want(open, authority)
	if a := asks(open); a.Detail["reason"] != "The agent has made the same call twice just before." || len(w.tools.made) != 3 {
		t.Errorf("asks %+v after %d calls, want after 3", a, len(w.tools.made))
	}
	open = w.answer(open, `"approved":false`)
	w.want(open, authority)
	w.want(w.answer(open, `"approved":true`), completed)
	if len(w.tools.made) != 4 {
		t.Errorf("%d calls, want 4", len(w.tools.made))
	}
}

// R10: a rule about a built-in tool does something where it denies it, and nothing where it would have
// its question approved, or allowed.
func TestR10_RulesOfBuiltins(t *testing.T) {
	t.Parallel()
	for rules, want := range map[string]string{
		`deny: ["builtin/ask_user"]`:           "[]",
		`deny: ["builtin/request_connection"]`: "[builtin/request_connection]", // it is off
		`ask: ["builtin/ask_user"]`:            "[builtin/ask_user]",
		`allow: ["builtin/*"]`:                 "[builtin/*]",
	} {
		d, err := definition.Parse([]byte("---\nname: c\ndescription: d\npermissions: { " + rules + " }\n---\nx"))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprint(policy.Unmatched(d, nil)); got != want {
			t.Errorf("%s: unmatched %s, want %s", rules, got, want)
		}
	}
}

// R12: a call is the same one however it is spelled.
func TestR12_SameCallInAnotherSpelling(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls(`hub__get {"title":"x"}`), calls(`hub__get { "title" : "\u0078" }`), calls(`hub__get {"title":"x"}`), text("Enough."))
	w.want(w.ask("Go"), authority)
	if len(w.tools.made) != 2 {
		t.Errorf("%d calls, want the third held", len(w.tools.made))
	}
}
