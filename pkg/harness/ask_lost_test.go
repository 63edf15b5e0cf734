package harness_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// A person is asked about a held call also if the slice ended before its siblings were made.
func TestHeldBesideCallsBeyondTheSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSlicedWorld(t, 10*time.Second, "", calls(append(gets(10), "hub__make {}")...), text("Done."))
		w.tools.call = func(context.Context, tool.Call, int) tool.Outcome {
			time.Sleep(12 * time.Second)
			return tool.Answered{Text: "got"}
		}
		held := w.ask("Go")
		w.want(held, authority)
		if id := asks(held).InteractionID; id == "" {
			t.Fatalf("nobody is asked: %+v", held.Status)
		}
		w.want(w.answer(held, `"approved":true`), completed)
	})
}

// The same for a connection that one of the calls needs.
func TestConnectionBesideCallsBeyondTheSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSlicedWorld(t, 10*time.Second, "permissions: { allow: [hub/*] }", calls(append([]string{"hub__label {}"}, gets(10)...)...), text("Done."))
		w.tools.call = func(_ context.Context, c tool.Call, n int) tool.Outcome {
			time.Sleep(12 * time.Second)
			if c.Tool == "label" && n == 1 {
				return &tool.NeedsConnection{App: "hub", Reason: "to label"}
			}
			return tool.Answered{Text: "got"}
		}
		held := w.ask("Go")
		w.want(held, authority)
		if id := asks(held).InteractionID; id == "" {
			t.Fatalf("nobody is asked: %+v", held.Status)
		}
		w.want(w.answer(held, `"value":true`), completed)
	})
}
