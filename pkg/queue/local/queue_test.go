package local_test

import (
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/queue/queuetest"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/sqlite"
)

func TestMemory(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(t *testing.T, test func(*testing.T, queuetest.Harness)) {
		synctest.Test(t, func(t *testing.T) {
			test(t, harness(local.New(local.Options{MaxReceive: 3})))
		})
	})
}

func TestSQLite(t *testing.T) {
	t.Parallel()
	queuetest.Run(t, func(t *testing.T, test func(*testing.T, queuetest.Harness)) {
		path := filepath.Join(t.TempDir(), "queue.db")
		synctest.Test(t, func(t *testing.T) {
			h := harness(open(t, path))
			h.Restart = func(t *testing.T) queue.Queue { return open(t, path) }
			test(t, h)
		})
	})
}

func harness(q *local.Queue) queuetest.Harness {
	return queuetest.Harness{
		Queue:      q,
		MaxReceive: 3,
		DeadLetters: func(*testing.T) []queue.Poke {
			var pokes []queue.Poke
			for _, l := range q.DeadLetters() {
				pokes = append(pokes, l.Poke)
			}
			return pokes
		},
		Advance: time.Sleep, // a bubble's
		Fair:    true,
	}
}

// open opens the queue of a file; what had it open before is treated as killed.
func open(t *testing.T, path string) *local.Queue {
	t.Helper()
	q, err := local.Open(openDB(t, path), local.Options{MaxReceive: 3})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return q
}

func openDB(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sqlite.Open(path)
	if err != nil {
		t.Fatalf("sqlite.Open: %v", err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func poke(id string) queue.Poke {
	return queue.Poke{Key: task.Key{Scope: task.Scope{Owner: "ann"}, ID: id}}
}

func mustSend(t *testing.T, q *local.Queue, id string, delay time.Duration) {
	t.Helper()
	if err := q.Send(t.Context(), poke(id), delay); err != nil {
		t.Fatalf("Send: %v", err)
	}
}

func mustReceive(t *testing.T, q *local.Queue, visible time.Duration) queue.Delivery {
	t.Helper()
	ds, err := q.Receive(t.Context(), 1, visible)
	if err != nil {
		t.Fatalf("Receive: %v", err)
	}
	return ds[0]
}

// An old receipt must not delete what another now holds (the port leaves it open).
func TestOldReceiptDeletesNothing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := local.New(local.Options{})
		mustSend(t, q, "t1.a", 0)
		old := mustReceive(t, q, time.Second)
		mustReceive(t, q, time.Second)
		if err := q.Delete(t.Context(), old.Receipt); err != nil {
			t.Errorf("Delete: %v", err)
		}
		if got := mustReceive(t, q, time.Second); got.Attempt != 3 {
			t.Errorf("Attempt: got %d, want 3", got.Attempt)
		}
	})
}

// A holder whose message became visible, but was received by nobody, can still take it back or
// delete it.
func TestLateHolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := local.New(local.Options{})
		mustSend(t, q, "t1.a", 0)
		d := mustReceive(t, q, time.Second)
		time.Sleep(2 * time.Second)
		if err := q.Extend(t.Context(), d.Receipt, time.Hour); err != nil {
			t.Fatalf("Extend: %v", err)
		}
		start := time.Now()
		d = mustReceive(t, q, time.Second)
		if got := time.Since(start); got != time.Hour {
			t.Errorf("received again after %v, want %v", got, time.Hour)
		}
		time.Sleep(2 * time.Second)
		if err := q.Delete(t.Context(), d.Receipt); err != nil {
			t.Fatalf("Delete: %v", err)
		}
		mustSend(t, q, "t1.b", 0)
		if got := mustReceive(t, q, time.Second); got.Poke != poke("t1.b") {
			t.Errorf("received %+v, want only what was not deleted", got)
		}
	})
}

// A message given back early reaches those who already wait.
func TestExtendWakes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := local.New(local.Options{})
		mustSend(t, q, "t1.a", 0)
		d := mustReceive(t, q, time.Hour)
		start := time.Now()
		time.AfterFunc(time.Minute, func() { q.Extend(t.Context(), d.Receipt, 0) })
		mustReceive(t, q, time.Hour)
		if got := time.Since(start); got != time.Minute {
			t.Errorf("received after %v, want %v", got, time.Minute)
		}
	})
}

func TestTimesAreWholeSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := local.New(local.Options{})
		start := time.Now()
		mustSend(t, q, "t1.a", 1500*time.Millisecond)
		mustReceive(t, q, time.Nanosecond)
		if got := time.Since(start); got != 2*time.Second {
			t.Errorf("a delay of 1.5 s: received after %v, want 2s", got)
		}
		mustReceive(t, q, 0)
		if got := time.Since(start); got != 3*time.Second {
			t.Errorf("a visibility of 1 ns: received after %v more, want 1s", got-2*time.Second)
		}
	})
}

func TestBadArguments(t *testing.T) {
	t.Parallel()
	q := local.New(local.Options{})
	mustSend(t, q, "t1.a", 0)
	for _, c := range []struct {
		max     int
		visible time.Duration
	}{{0, time.Second}, {-1, time.Second}, {1, -1}, {1, 12*time.Hour + 1}} {
		if ds, err := q.Receive(t.Context(), c.max, c.visible); err == nil {
			t.Errorf("Receive(%d, %v): got %+v, want an error", c.max, c.visible, ds)
		}
	}
	d := mustReceive(t, q, 12*time.Hour)
	for _, visible := range []time.Duration{-1, 12*time.Hour + 1} {
		if err := q.Extend(t.Context(), d.Receipt, visible); err == nil || errors.Is(err, queue.ErrGone) {
			t.Errorf("Extend(%v): got %v, want an error of its own", visible, err)
		}
	}
}

func TestDeadLetters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "queue.db")
		q := open(t, path)
		mustSend(t, q, "t1.a", 0)
		mustSend(t, q, "t1.b", 0)
		var last queue.Delivery
		for range 6 {
			last = mustReceive(t, q, time.Second)
		}
		if got := q.DeadLetters(); len(got) != 0 {
			t.Errorf("dead letters while held: got %+v, want none", got)
		}
		time.Sleep(2 * time.Second)
		letters := q.DeadLetters()
		var got []local.DeadLetter
		for _, l := range letters {
			got = append(got, local.DeadLetter{Poke: l.Poke, Attempts: l.Attempts})
		}
		want := []local.DeadLetter{{Poke: poke("t1.a"), Attempts: 3}, {Poke: poke("t1.b"), Attempts: 3}}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("dead letters (-want +got):\n%s", diff)
		}
		if err := q.Extend(t.Context(), last.Receipt, time.Hour); !errors.Is(err, queue.ErrGone) {
			t.Errorf("Extend of a dead letter: got %v, want %v", err, queue.ErrGone)
		}

		if err := q.Redrive(t.Context(), letters[0].ID); err != nil {
			t.Fatalf("Redrive: %v", err)
		}
		d := mustReceive(t, q, time.Second)
		if d.Poke != poke("t1.a") || d.Attempt != 1 {
			t.Errorf("redriven: got %+v, want t1.a with attempt 1", d)
		}
		live, _, _ := strings.Cut(d.Receipt, ".")
		for _, id := range []string{letters[0].ID, live, ""} {
			if err := q.Redrive(t.Context(), id); err == nil {
				t.Errorf("Redrive(%q), which is no dead letter: got no error", id)
			}
		}
		for _, q := range []*local.Queue{q, open(t, path)} {
			if diff := cmp.Diff(letters[1:], q.DeadLetters()); diff != "" {
				t.Errorf("left over (-want +got):\n%s", diff)
			}
		}
	})
}
