package harness_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// A server that can't be listed is asked again; one that stays away ends the turn, which says which
// it was and nothing of why.
func TestServerDown(t *testing.T) {
	for _, down := range []time.Duration{4 * time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, "", text("Done."))
			w.tools.need = errors.New("dial 10.1.2.3: secret reason")
			time.AfterFunc(down, func() {
				w.tools.mu.Lock()
				defer w.tools.mu.Unlock()
				w.tools.need = nil
			})
			ended := w.ask("Go")
			if down < time.Minute {
				w.want(ended, completed)
				return
			}
			w.want(ended, a2a.TaskStateFailed)
			got := fmt.Sprint(ended.Status.Message.Parts)
			if !strings.Contains(got, "hub") || strings.Contains(got, "secret") {
				t.Errorf("the caller is told %s", got)
			}
		})
	}
}

// after a person said that an app is connected, a token from before is no use.
func TestConnectedSince(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "permissions: { allow: [hub/*] }\nloop: { connections: true }",
			calls(`builtin__request_connection {"app":"hub","reason":"r"}`), calls("hub__get {}"), text("Done."))
		asked := w.ask("Go")
		time.Sleep(time.Hour)
		answered := time.Now()
		w.want(w.answer(asked, `"value":{"connected":true}`), completed)
		if len(w.since) != 2 || !w.since[0].IsZero() || w.since[1].Before(answered.Truncate(time.Millisecond)) {
			t.Errorf("servers were reached with tokens as of %v, want none and %v", w.since, answered)
		}
	})
}
