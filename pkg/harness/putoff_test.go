package harness_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// a call that may be made again, and for which the slice has no time left, is made in the next
// one; nobody is asked, and the model is not told that it failed.
func TestCallIsPutOff(t *testing.T) {
	for _, tt := range []struct {
		tool string
		out  tool.Outcome
	}{
		{"get", tool.Unknown{Reason: "lost"}},
		{"label", tool.Unknown{Reason: "lost"}},
		{"make", tool.NotSent{Reason: "busy", Passing: true}},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newSlicedWorld(t, 10*time.Second, "permissions: { allow: [hub/*] }", calls("hub__"+tt.tool+" {}"), text("Done."))
			w.tools.call = func(_ context.Context, _ tool.Call, n int) tool.Outcome {
				if n == 1 {
					time.Sleep(12 * time.Second)
					return tt.out
				}
				return tool.Answered{Text: "got"}
			}
			w.want(w.ask("Go"), completed)
			if got := w.model.last().Results[0]; got.Text != "got" || len(w.tools.made) != 2 {
				t.Errorf("%s: told %q after %d calls", tt.tool, got.Text, len(w.tools.made))
			}
		})
	}
}
