package harness_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

const allowed = "permissions: { allow: [hub/*] }"

// Calls of a step run side by side, at most eight, and those that write one at a time.
func TestSideBySide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		wanted := append(slices.Repeat([]string{"hub__make {}"}, 2), gets(12)...)
		w := newWorld(t, allowed, calls(wanted...), text("Done."))
		var mu sync.Mutex
		now, most := map[string]int{}, map[string]int{}
		count := func(name string, n int) {
			mu.Lock()
			defer mu.Unlock()
			now[name] += n
			most[name] = max(most[name], now[name])
		}
		w.tools.call = func(_ context.Context, c tool.Call, _ int) tool.Outcome {
			count(c.Tool, 1)
			count("", 1)
			time.Sleep(time.Second)
			count(c.Tool, -1)
			count("", -1)
			return tool.Answered{Text: "did " + c.Tool}
		}
		w.want(w.ask("Go"), completed)
		if len(w.tools.made) != 14 || most["make"] != 1 || most["get"] < 6 || most[""] > 8 {
			t.Errorf("%d calls, most at once %v", len(w.tools.made), most)
		}
	})
}

// what surely did nothing, and may pass, is tried again, as is what may be made twice: three
// times in all, under the same id.
func TestCallAgain(t *testing.T) {
	down, gone, cut := tool.NotSent{Reason: "down", Passing: true}, tool.NotSent{Reason: "no such server"}, tool.Unknown{Reason: "it was cut"}
	for _, tt := range []struct {
		name, call string
		out        tool.Outcome
		bad        int // attempts that come to out
		calls      int
		want       string
	}{
		{"a write that was not sent", "make", down, 2, 3, "did make"},
		{"a write that can't be sent", "make", down, 9, 3, "tool.unreachable: The call was not made: down"},
		{"a write that never can", "make", gone, 9, 1, "tool.unreachable: The call was not made: no such server"},
		{"an idempotent call that was cut", "label", cut, 2, 3, "did label"},
		{"an idempotent call that is always cut", "label", cut, 9, 3, "tool.unreachable: No answer came: it was cut"},
		{"a read that was cut", "get", cut, 1, 2, "did get"},
		{"a read that was not sent", "get", down, 1, 2, "did get"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, allowed, calls("hub__"+tt.call+" {}"), text("Done."))
				var at []time.Duration
				var began time.Time
				w.tools.call = func(ctx context.Context, c tool.Call, n int) tool.Outcome {
					if n == 1 {
						began = time.Now()
					}
					at = append(at, time.Since(began))
					if until, ok := ctx.Deadline(); !ok || time.Until(until) != time.Minute {
						t.Errorf("the call may take until %v, want its server's timeout", until)
					}
					if n <= tt.bad {
						return tt.out
					}
					return tool.Answered{Text: "did " + c.Tool}
				}
				w.want(w.ask("Go"), completed)
				want := []time.Duration{0, 2 * time.Second, 6 * time.Second}[:tt.calls]
				if !slices.Equal(at, want) || w.tools.made[0].EffectID != w.tools.made[tt.calls-1].EffectID {
					t.Errorf("calls %+v at %v, want them at %v", w.tools.made, at, want)
				}
				if got := w.model.last().Results[0].Text; got != tt.want {
					t.Errorf("told %q, want %q", got, tt.want)
				}
			})
		})
	}
}

// of a call that a lost run has sent, one that may be made twice is, under its id; of a write
// a person is asked.
func TestCallOfALostRun(t *testing.T) {
	for name, again := range map[string]bool{"get": true, "label": true, "make": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, allowed, calls("hub__"+name+" {}"), text("Done."))
				w.tools.call = func(ctx context.Context, c tool.Call, n int) tool.Outcome {
					if n == 1 {
						go w.restart()
						<-ctx.Done()
						return tool.Unknown{Reason: "it was given up"}
					}
					return tool.Answered{Text: "did " + c.Tool}
				}
				rests := w.ask("Go")
				if again {
					w.want(rests, completed)
					if len(w.tools.made) != 2 || w.tools.made[0].EffectID != w.tools.made[1].EffectID {
						t.Errorf("calls %+v", w.tools.made)
					}
					return
				}
				w.want(rests, authority)
				if id := asks(rests).InteractionID; len(w.tools.made) != 1 || id != w.tools.made[0].EffectID+".2" {
					t.Errorf("asks %s after calls %+v", id, w.tools.made)
				}
			})
		})
	}
}

// A worker that ends while it waits to try a call again makes it no more: whoever takes over does.
func TestNoCallAfterTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, allowed, calls("hub__label {}"), text("Done."))
		w.tools.call = func(ctx context.Context, c tool.Call, n int) tool.Outcome {
			if ctx.Err() != nil {
				t.Error("a call goes out after its run has ended")
			}
			if n == 1 {
				time.AfterFunc(time.Second, w.restart)
				return tool.NotSent{Reason: "down", Passing: true}
			}
			return tool.Answered{Text: "did " + c.Tool}
		}
		w.want(w.ask("Go"), completed)
		if len(w.tools.made) != 2 {
			t.Errorf("calls %+v", w.tools.made)
		}
	})
}

// restart ends the workers, and starts others.
func (w *world) restart() {
	w.working.Lock()
	defer w.working.Unlock()
	w.stop()
	w.work()
}

// whoever connected an app that the server then still does not take is asked again, under
// another id, and once for all calls of the server; what one call needs keeps none of the others from
// being made.
func TestNeedsConnectionAgain(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"get", "make"} {
		w := newWorld(t, allowed, calls("hub__label {}", "hub__"+name+" {}", "hub__"+name+` {"title":"x"}`), text("Done."))
		w.tools.call = func(_ context.Context, c tool.Call, n int) tool.Outcome {
			if c.Tool == name && n < 3 {
				return &tool.NeedsConnection{App: "hub", Reason: "to use it"}
			}
			return tool.Answered{Text: "did " + c.Tool}
		}
		open := w.ask("Go")
		var ids []string
		for open.Status.State == authority {
			ids = append(ids, asks(open).InteractionID)
			open = w.answer(open, `"value":true`)
		}
		w.want(open, completed)
		if len(ids) != 2 || strings.Contains(ids[0], ".") || !strings.HasSuffix(ids[1], ".2") || len(w.tools.made) != 7 {
			t.Errorf("%s: asked as %v, for %d calls, want two rounds for both calls", name, ids, len(w.tools.made))
		}
		for _, r := range w.model.last().Results {
			if !strings.HasPrefix(r.Text, "did ") {
				t.Errorf("%s: told %+v", name, r)
			}
		}
	}
}

// A server is reached once a slice, whatever is called.
func TestOneConnectionASlice(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls("hub__get {}", "hub__get {}"), calls(`hub__get {"title":"x"}`), text("Done."))
	w.want(w.ask("Go"), completed)
	if len(w.since) != 1 || len(w.tools.made) != 3 {
		t.Errorf("%d connections for %d calls", len(w.since), len(w.tools.made))
	}
}

// Calls that found no place within a slice are made in the next.
func TestCallsBeyondTheSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSlicedWorld(t, 10*time.Second, "", calls(gets(20)...), text("Done."))
		w.tools.call = func(context.Context, tool.Call, int) tool.Outcome {
			time.Sleep(12 * time.Second)
			return tool.Answered{Text: "got"}
		}
		w.want(w.ask("Go"), completed)
		if len(w.tools.made) != 20 || len(w.model.seen) != 2 || len(w.since) != 3 {
			t.Errorf("%d calls and %d model calls in %d slices", len(w.tools.made), len(w.model.seen), len(w.since))
		}
	})
}

// What a step came to is written before the step that sees it, and no sooner than it must be: a
// write costs.
func TestWrites(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		first answer
		want  uint64 // with the create and the claim
	}{
		"an answer":       {text("Hello."), 3},
		"a held call":     {calls("hub__make {}"), 3},
		"a refused call":  {calls("hub__none {}"), 4},
		"a read":          {calls("hub__get {}"), 5},
		"reads":           {calls("hub__get {}", "hub__get {}"), 6},
		"a read and more": {calls("hub__get {}", "hub__make {}"), 5},
	} {
		w := newWorld(t, "", tt.first, text("Done."))
		rests := w.ask("Go")
		if r := w.record(rests); r.Revision != tt.want || r.Status.State == a2a.TaskStateFailed {
			t.Errorf("%s: %d writes until it is %s, want %d", name, r.Revision, r.Status.State, tt.want)
		}
	}
}

// A call that panics ends its slice, like any error, and not the process.
func TestCallPanics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "permissions: { allow: [hub/*] }", calls("hub__get {}", "hub__label {}"), text("Done."))
		w.tools.call = func(_ context.Context, c tool.Call, n int) tool.Outcome {
			if c.Tool == "get" && n == 1 {
				panic("the server's answer is odd")
			}
			return tool.Answered{Text: "got"}
		}
		w.want(w.ask("Go"), completed)
	})
}
