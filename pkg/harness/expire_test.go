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
