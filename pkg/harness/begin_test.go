package harness_test

import (
	"errors"
	"fmt"
	"slices"
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
			if at := offsets(w.tools.listed); !slices.Equal(at, []time.Duration{0, time.Second, 5 * time.Second}) {
				t.Errorf("the server was asked at %v", at)
			}
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

func offsets(at []time.Time) (all []time.Duration) {
	for _, t := range at {
		all = append(all, t.Sub(at[0]))
	}
	return all
}

// A server that is down when a slice ends, or its worker, does not end the turn.
func TestServerDownAtTheSlicesEnd(t *testing.T) {
	for name, slice := range map[string]time.Duration{"the slice's": 3 * time.Second, "the worker's": 0} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newSlicedWorld(t, slice, "", text("Done."))
				w.tools.need = errors.New("it is down")
				time.AfterFunc(4*time.Second, func() {
					w.tools.mu.Lock()
					defer w.tools.mu.Unlock()
					w.tools.need = nil
				})
				if slice == 0 {
					time.AfterFunc(3*time.Second, w.restart)
				}
				w.want(w.ask("Go"), completed)
			})
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

// only who says that an app is connected makes tokens stale, and the last time counts.
func TestConnectedSinceWhich(t *testing.T) {
	const ask = `builtin__ask_user {"question":"Sure?"}`
	connect := func(app string) string {
		return `builtin__request_connection {"app":"` + app + `","reason":"r"}`
	}
	for name, tt := range map[string]struct {
		asks, answers []string
		want          int // which answer counts; -1: none
	}{
		"a question":           {[]string{ask}, []string{"true"}, -1},
		"declined":             {[]string{connect("a")}, []string{"false"}, -1},
		"the last of two":      {[]string{connect("a"), connect("b")}, []string{"true", "true"}, 1},
		"the one not declined": {[]string{connect("a"), connect("b"), ask}, []string{"true", "false", "true"}, 0},
		"one after a refusal":  {[]string{ask, connect("a"), connect("b")}, []string{"true", "false", "true"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "permissions: { allow: [hub/*] }\nloop: { connections: true }", calls(tt.asks...), calls("hub__get {}"), text("Done."))
				open := w.ask("Go")
				var want time.Time
				for n, value := range tt.answers {
					time.Sleep(time.Hour)
					if n == tt.want {
						want = time.Now().UTC().Truncate(time.Millisecond)
					}
					open = w.answer(open, `"value":`+value)
				}
				w.want(open, completed)
				if got := w.since[len(w.since)-1]; !got.Equal(want) {
					t.Errorf("the server was reached with a token as of %v, want %v", got, want)
				}
			})
		})
	}
}
