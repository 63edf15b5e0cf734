package harness_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// recover is what the schedule does.
func (w *world) recover() {
	w.Helper()
	if _, err := turn.Recover(w.Context(), w.store, w.queue, time.Now(), 0); err != nil {
		w.Fatal(err)
	}
	synctest.Wait()
}

// R8, R-42: a wait that nobody ends is no approval and no denial: the call is not made, the model is
// told, and the turn goes on. Without approvalTtl it lasts for good.
func TestExpired(t *testing.T) {
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
				if r := w.record(held); !r.Status.State.Interrupted() {
					t.Fatalf("%s early", r.Status.State)
				}
				time.Sleep(2 * time.Minute)
				w.recover()
				if tt.want == "" {
					w.want(w.answer(held, `"approved":true`), completed)
					return
				}
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

// nobody says whether to send again what may have happened: it is not sent, and the model is
// told that it may have happened, not that it didn't.
func TestUnknownExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "permissions: { allow: [hub/*] }\nloop: { approvalTtl: 2h }", calls("hub__make {}"), text("Well."))
		w.tools.call = func(_ context.Context, _ tool.Call, _ int) tool.Outcome { return tool.Unknown{Reason: "it was cut"} }
		asked := w.ask("Go")
		w.want(asked, authority)
		time.Sleep(2*time.Hour + time.Minute)
		w.recover()
		if r := w.record(asked); r.Status.State != completed || len(w.tools.made) != 1 {
			t.Fatalf("%s after calls %v", r.Status.State, w.tools.made)
		}
		if got := w.model.last().Results[0].Text; !strings.HasPrefix(got, "tool.unknown: ") {
			t.Errorf("told %q", got)
		}
	})
}

// A server that wants a token which nobody supplies in time is gone without.
func TestConnectionExpired(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "permissions: { allow: [hub/*] }\nloop: { approvalTtl: 2h }", calls("hub__make {}"), text("Well."))
		w.tools.call = func(context.Context, tool.Call, int) tool.Outcome {
			return &tool.NeedsConnection{App: "hub", Reason: "to use it"}
		}
		asked := w.ask("Go")
		w.want(asked, a2a.TaskStateAuthRequired)
		time.Sleep(2*time.Hour + time.Minute)
		w.recover()
		if r := w.record(asked); r.Status.State != completed {
			t.Fatalf("%s", r.Status.State)
		}
		if got := w.model.last().Results[0].Text; !strings.HasPrefix(got, "tool.expired: ") {
			t.Errorf("told %q", got)
		}
	})
}
