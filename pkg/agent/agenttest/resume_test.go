package agenttest

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// A crash loses its slice once; what was done before it is not done again.
func TestCrashesOnce(t *testing.T) {
	t.Parallel()
	const script = "say a; crash; say b; crash; say c"
	r := newRecorder()
	for i := range 2 {
		if out, err := r.slice(t.Context(), new(Agent), script, nil); !errors.Is(err, ErrCrash) {
			t.Fatalf("slice %d: got outcome %v, error %v; want %v", i, out, err, ErrCrash)
		}
	}
	if diff := cmp.Diff(completed("c"), r.mustSlice(t, new(Agent), script, nil), outcomes); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	want := []task.Event{agent.StatusText("a"), agent.StatusText("b")}
	if diff := cmp.Diff(want, r.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// wherever a run is lost, whether or not its last write was kept, the next goes on
// so that every event is there once, and a call is made again only if a person says so.
func TestLostAtEachWrite(t *testing.T) {
	t.Parallel()
	want := newRecorder()
	playThrough(t, want)
	if want.writes < 10 {
		t.Fatalf("got %d writes, want enough to be lost at", want.writes)
	}
	for at := 1; at <= want.writes; at++ {
		for _, kept := range []bool{false, true} {
			r := newRecorder()
			r.lostAt, r.kept = at, kept
			calls, resent := playThrough(t, r)
			if diff := cmp.Diff(want.events, r.events); diff != "" {
				t.Errorf("lost at write %d, kept %v: events (-want +got):\n%s", at, kept, diff)
			}
			if calls < 1 || calls > 1+resent {
				t.Errorf("lost at write %d, kept %v: got %d calls, want one and at most %d again", at, kept, calls, resent)
			}
			if len(r.effects) != 0 {
				t.Errorf("lost at write %d, kept %v: got effects %v left, want all settled", at, kept, r.effects)
			}
		}
	}
}

// playThrough plays a script of everything to its end, through a loss, with a person who approves
// all. It returns how many calls were made, and how often the person said to send one again.
func playThrough(t *testing.T, r *recorder) (calls, resent int) {
	t.Helper()
	const script = "say a; piece b c d; approve s/t & ask which?; hello; sleep 0s; artifact text e; say f"
	a := &Agent{Call: func(context.Context, string, string, string) error { calls++; return nil }}
	var answers map[string]interaction.Answer
	for range 10 {
		out, err := r.slice(t.Context(), a, script, answers)
		if err != nil && !errors.Is(err, errLost) {
			t.Fatalf("lost at write %d, kept %v: %v", r.lostAt, r.kept, err)
		}
		if err != nil && r.writes != r.lostAt {
			t.Errorf("got %d writes after the run was lost, want none", r.writes-r.lostAt)
		}
		if _, done := out.(agent.Completed); done && err == nil {
			return calls, resent
		}
		for id, e := range r.effects {
			if e.State == task.EffectSent {
				resent++
			}
			r.set(id, task.EffectApproved)
			answers = map[string]interaction.Answer{id: {Approved: true}, "eff_2_1": value("1")}
		}
	}
	t.Fatalf("lost at write %d, kept %v: got no end in 10 slices", r.lostAt, r.kept)
	return 0, 0
}

// A journal that can't be read fails the slice: to take it for empty would play everything again.
func TestUnreadableJournal(t *testing.T) {
	t.Parallel()
	r := newRecorder()
	r.unread = errors.New("the store is away")
	if out, err := r.slice(t.Context(), new(Agent), "say a; say b", nil); !errors.Is(err, r.unread) {
		t.Errorf("got outcome %v, error %v; want %v", out, err, r.unread)
	}
	if len(r.events) != 0 {
		t.Errorf("got events %v, want none", r.events)
	}
}

// A sleep lasts as long as it says over all its slices, however each of them ends.
func TestSleepOverSlices(t *testing.T) {
	t.Parallel()
	const script = "sleep 10s; say z"
	errStop := errors.New("stop")
	for name, tt := range map[string]struct {
		yield, cancel time.Duration // when the first slice is told to end
		away          time.Duration // until the next begins
		want          agent.Outcome
		err           error
		lasts         time.Duration
	}{
		"undisturbed":       {0, 0, 0, completed("z"), nil, 10 * time.Second},
		"yields":            {4 * time.Second, 0, time.Second, agent.More{}, nil, 10 * time.Second},
		"cancelled":         {0, 4 * time.Second, time.Second, nil, errStop, 10 * time.Second},
		"away for too long": {4 * time.Second, 0, time.Minute, agent.More{}, nil, 64 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began, r := time.Now(), newRecorder()
				ctx, stop := context.WithCancelCause(t.Context())
				defer stop(nil)
				end := tt.yield + tt.cancel
				switch {
				case tt.yield > 0:
					time.AfterFunc(end, func() { close(r.yielding) })
				case tt.cancel > 0:
					time.AfterFunc(end, func() { stop(errStop) })
				}
				got, err := r.slice(ctx, new(Agent), script, nil)
				if diff := cmp.Diff(tt.want, got, outcomes); diff != "" || !errors.Is(err, tt.err) {
					t.Errorf("got error %v, want %v; outcome (-want +got):\n%s", err, tt.err, diff)
				}
				if end > 0 {
					if got := time.Since(began); got != end {
						t.Errorf("got the first slice ended after %v, want %v", got, end)
					}
					time.Sleep(tt.away)
					r.yielding = make(chan struct{})
					got = r.mustSlice(t, new(Agent), script, nil)
				}
				if diff := cmp.Diff(completed("z"), got, outcomes); diff != "" {
					t.Errorf("last outcome (-want +got):\n%s", diff)
				}
				if got := time.Since(began); got != tt.lasts {
					t.Errorf("got a sleep of %v, want %v", got, tt.lasts)
				}
			})
		})
	}
}

// The clock of a sleep is the agent's: another replica's may be ahead.
func TestSleepByItsOwnClock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		r := newRecorder()
		close(r.yielding)
		const script = "sleep 1h; artifact text z"
		r.mustSlice(t, new(Agent), script, nil)
		ahead := &Agent{Now: func() time.Time { return time.Now().Add(2 * time.Hour) }}
		r.yielding = make(chan struct{})
		r.mustSlice(t, ahead, script, nil)
		if diff := cmp.Diff([]task.Event{whole("artifact-2", a2a.Text("z"))}, r.events); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
		if got := time.Since(began); got != 0 {
			t.Errorf("got a wait of %v, want none", got)
		}
	})
}
