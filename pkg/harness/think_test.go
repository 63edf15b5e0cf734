package harness_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// A model call that fails in passing is made again, three times a step, after as long as the model
// asks for within bounds, also by another worker; what answers starts the count anew.
func TestModelIsTriedAgain(t *testing.T) {
	busy := &model.Error{Kind: model.KindBusy}
	failing := func(n int, e *model.Error, a answer) answer { a.err, a.fails = e, n; return a }
	const s = time.Second
	for _, tt := range []struct {
		name    string
		answers []answer
		at      []time.Duration
		want    string
	}{
		{"once", []answer{failing(1, busy, text("Hello."))}, []time.Duration{0, s}, "Hello."},
		{"twice", []answer{failing(2, busy, text("Hello."))}, []time.Duration{0, s, 5 * s}, "Hello."},
		{"too often", []answer{failing(3, busy, text("Hello."))}, []time.Duration{0, s, 5 * s}, "The model could not be reached."},
		{"twice a step", []answer{failing(2, busy, calls("hub__get {}")), failing(2, busy, text("Hello."))},
			[]time.Duration{0, s, 5 * s, 5 * s, 6 * s, 10 * s}, "Hello."},
		{"when it asks for time", []answer{failing(2, &model.Error{Kind: model.KindBusy, RetryAfter: 20 * s}, text("Hello."))},
			[]time.Duration{0, 20 * s, 40 * s}, "Hello."},
		{"when it asks for too much", []answer{failing(2, &model.Error{Kind: model.KindBusy, RetryAfter: time.Hour}, text("Hello."))},
			[]time.Duration{0, 30 * s, 60 * s}, "Hello."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newWorld(t, "", tt.answers...)
				ended := w.ask("Hi")
				var at []time.Duration
				for _, t := range w.model.at {
					at = append(at, t.Sub(w.model.at[0]))
				}
				if said := lastWords(ended); !slices.Equal(at, tt.at) || said != tt.want {
					t.Errorf("calls at %v, want %v; said %q, want %q", at, tt.at, said, tt.want)
				}
			})
		})
	}
}

// lastWords are a finished task's answer, or why it failed.
func lastWords(t a2a.Task) string {
	var parts []a2a.Part
	switch {
	case len(t.Artifacts) > 0:
		parts = t.Artifacts[0].Parts
	case t.Status.Message != nil:
		parts = t.Status.Message.Parts
	default:
		return ""
	}
	return fmt.Sprint(parts[0].Content)
}

// Failures are counted in the ledger: a worker that goes on from it does not start anew.
func TestFailuresAreCountedAcrossWorkers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "", answer{err: &model.Error{Kind: model.KindBusy}, fails: 9})
		time.AfterFunc(3*time.Second, w.restart) // between the second failure and the third
		ended := w.ask("Hi")
		w.want(ended, a2a.TaskStateFailed)
		if len(w.model.seen) != 3 || !strings.Contains(lastWords(ended), "could not be reached") {
			t.Errorf("%q after %d calls", lastWords(ended), len(w.model.seen))
		}
	})
}

// How an answer ended says what becomes of it.
func TestStops(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		a     answer
		state a2a.TaskState
		want  string
	}{
		"said":               {answer{text: "Hello.", stop: model.StopEnd}, completed, "Hello."},
		"nothing to say":     {answer{stop: model.StopEnd}, completed, ""},
		"met its bound":      {answer{text: "Hel", stop: model.StopLength}, completed, "Hel"},
		"was held back":      {answer{text: "Hel", stop: model.StopFiltered}, a2a.TaskStateFailed, "The model's provider held the answer back."},
		"held back, nothing": {answer{stop: model.StopFiltered}, a2a.TaskStateFailed, "The model's provider held the answer back."},
	} {
		w := newWorld(t, "", tt.a)
		ended := w.ask("Hi")
		w.want(ended, tt.state)
		if got := lastWords(ended); got != tt.want || got == "" && len(ended.Artifacts) != 0 || len(w.model.seen) != 1 {
			t.Errorf("%s: %q after %d calls, want %q", name, got, len(w.model.seen), tt.want)
		}
	}
}

// A model call that takes longer than what is left of the slice is made anew in the next, and is no
// failure of the model.
func TestModelCallBeyondTheSlice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSlicedWorld(t, 10*time.Second, "", text("Hello."))
		n := 0
		w.model.during = func(ctx context.Context) {
			if n++; n <= 4 {
				<-ctx.Done()
			}
		}
		ended := w.ask("Hi")
		w.want(ended, completed)
		if last := w.model.at[4].Sub(w.model.at[0]); len(w.model.at) != 5 || last != 40*time.Second {
			t.Errorf("%d calls within %v", len(w.model.at), last)
		}
	})
}

// Nor is one that ended with its worker.
func TestModelCallOfAnEndedWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "", text("Hello."))
		n := 0
		w.model.during = func(ctx context.Context) {
			if n++; n <= 4 {
				time.AfterFunc(time.Second, w.restart)
				<-ctx.Done()
			}
		}
		w.want(w.ask("Hi"), completed)
		if len(w.model.seen) != 5 {
			t.Errorf("%d calls", len(w.model.seen))
		}
	})
}

// A pause for a person is not put off because the slice's time is up.
func TestPauseAtTheSlicesEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSlicedWorld(t, 10*time.Second, "", calls("hub__make {}"))
		w.model.during = func(context.Context) { time.Sleep(12 * time.Second) }
		w.model.deaf = true
		held := w.ask("Go")
		w.want(held, authority)
		if n := w.record(held).Revision; n != 3 {
			t.Errorf("%d writes, want the create, the claim and the pause", n)
		}
	})
}

// What the model reads: the conversation so far, who said it, and each part of a message.
func TestTranscript(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", text("Hello."))
	first := w.send(a2a.Message{Parts: []a2a.Part{
		{Content: a2a.Text("Look at")}, {Content: a2a.Data(`{"a":1}`)}, {Content: a2a.URL("https://x.example/f")},
		{Content: a2a.Raw("abc"), Filename: "a.txt", MediaType: "text/plain"},
	}})
	w.want(first, completed)
	w.model.answers = []answer{{}, text("Hello again.")}
	w.want(w.send(a2a.Message{ContextID: first.ContextID, Parts: []a2a.Part{{Content: a2a.Text("And now?")}}}), completed)
	var got []string
	for _, m := range w.model.seen[1].Messages {
		got = append(got, string(m.Role)+": "+m.Text)
	}
	want := []string{
		"user: Look at\n{\"a\":1}\n[file: https://x.example/f]\n[file a.txt of 3 bytes, text/plain]",
		"assistant: Hello.", "user: And now?",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the model read %q, want %q", got, want)
	}
}
