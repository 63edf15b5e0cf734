package local

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// failing is a disk that is full.
type failing struct{}

var errFull = errors.New("disk full")

func (failing) save(context.Context, ...*message) error { return errFull }
func (failing) remove(context.Context, string) error    { return errFull }

// A change that could not be written is not made.
func TestFailedWrites(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		q := New(Options{MaxReceive: 2})
		q.Send(ctx, queue.Poke{Key: task.Key{ID: "t1.a"}}, 0)
		ds, _ := q.Receive(ctx, 1, time.Minute)
		start := time.Now()

		q.changes = failing{}
		if err := q.Send(ctx, queue.Poke{Key: task.Key{ID: "t1.b"}}, 0); !errors.Is(err, errFull) {
			t.Errorf("Send: got %v, want %v", err, errFull)
		}
		if err := q.Extend(ctx, ds[0].Receipt, 0); !errors.Is(err, errFull) {
			t.Errorf("Extend: got %v, want %v", err, errFull)
		}
		if err := q.Delete(ctx, ds[0].Receipt); !errors.Is(err, errFull) {
			t.Errorf("Delete: got %v, want %v", err, errFull)
		}
		if ds, err := q.Receive(ctx, 1, time.Hour); !errors.Is(err, errFull) || time.Since(start) != time.Minute {
			t.Errorf("Receive: got %+v, %v after %v, want %v after a minute", ds, err, time.Since(start), errFull)
		}

		time.Sleep(time.Hour)
		letters := q.DeadLetters()
		if len(letters) != 1 {
			t.Fatalf("dead letters: got %+v, want one", letters)
		}
		if err := q.Redrive(ctx, letters[0].ID); !errors.Is(err, errFull) {
			t.Errorf("Redrive: got %v, want %v", err, errFull)
		}
		if got := q.DeadLetters(); len(got) != 1 {
			t.Errorf("dead letters after a failed redrive: got %+v, want the one", got)
		}
	})
}

// canceling ends the receiver's context in the middle of a write.
type canceling struct {
	forgetful
	cancel func()
}

func (c canceling) save(ctx context.Context, _ ...*message) error {
	c.cancel()
	return ctx.Err()
}

// A receive that has taken messages hands them over, even if its context ends just then.
func TestReceiveFinishesItsWrite(t *testing.T) {
	t.Parallel()
	q := New(Options{})
	q.Send(t.Context(), queue.Poke{Key: task.Key{ID: "t1.a"}}, 0)
	ctx, cancel := context.WithCancel(t.Context())
	q.changes = canceling{cancel: cancel}
	if ds, err := q.Receive(ctx, 1, time.Minute); err != nil || len(ds) != 1 {
		t.Errorf("Receive: got %+v, %v, want the message", ds, err)
	}
}

// FuzzState holds the rules against any order of calls: each message is in one place, nobody gets
// what another holds, nobody gets it too often, nothing is lost.
func FuzzState(f *testing.F) {
	f.Add([]byte{0, 1, 2, 10, 11, 20, 30, 10, 40, 10, 30, 11})
	f.Add([]byte("0aA1bB2cC3dD4eE5fF6gG7hH8iI9jJ"))
	f.Fuzz(func(t *testing.T, ops []byte) {
		s := newState(3)
		now := time.Unix(1700000000, 0)
		heldUntil := map[string]time.Time{}
		var receipts []string
		sent, deleted := 0, 0
		for i, op := range ops {
			arg := time.Duration(op / 5 % 8)
			switch op % 5 {
			case 0: // send
				sent++
				p := queue.Poke{Key: task.Key{Scope: task.Scope{Owner: strconv.Itoa(int(op) % 3)}}}
				s.add(&message{id: strconv.Itoa(i), poke: p, visible: now.Add(arg * time.Second)})
			case 1: // receive
				until := now.Add(arg * time.Second)
				for _, m := range s.take(now, 2, until) {
					if now.Before(heldUntil[m.id]) || m.attempts > 3 {
						t.Fatalf("op %d: took %s, attempt %d, held until %v", i, m.id, m.attempts, heldUntil[m.id])
					}
					heldUntil[m.id] = until
					receipts = append(receipts, m.receipt())
				}
			case 2: // time passes
				now = now.Add(arg * time.Second)
			case 3, 4: // extend or delete with any receipt ever given
				if len(receipts) == 0 {
					continue
				}
				m, ok := s.held(now, receipts[int(op/5)%len(receipts)])
				switch {
				case ok && op%5 == 3:
					heldUntil[m.id] = now.Add(arg * time.Second)
					s.hide(m, heldUntil[m.id])
				case ok:
					s.remove(m)
					deleted++
				}
			}
			checkPlaces(t, &s, sent-deleted)
		}
	})
}

// checkPlaces checks that each of n messages is where it says, and nowhere else.
func checkPlaces(t *testing.T, s *state, n int) {
	t.Helper()
	if len(s.messages) != n {
		t.Fatalf("got %d messages, want %d", len(s.messages), n)
	}
	for i, m := range s.hidden {
		if m.place != isHidden || m.index != i || s.messages[m.id] != m {
			t.Fatalf("in the heap at %d: %+v", i, m)
		}
	}
	ready := 0
	for g, waiting := range s.ready.waiting {
		ready += len(waiting)
		for _, m := range waiting {
			if m.place != isReady || m.poke.Group() != g || s.messages[m.id] != m {
				t.Fatalf("among the ready of %q: %+v", g, m)
			}
		}
	}
	dead := 0
	for _, m := range s.messages {
		if m.place == isDead {
			dead++
		}
	}
	if got := len(s.hidden) + ready + dead; got != n {
		t.Fatalf("got %d places taken, want %d", got, n)
	}
	if len(s.ready.order) != len(s.ready.waiting) {
		t.Fatalf("got %d turns, want one for each of %d groups", len(s.ready.order), len(s.ready.waiting))
	}
}
