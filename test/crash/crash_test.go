package crash

import (
	"database/sql"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/sqlite"
)

var (
	all  = flag.Bool("all", os.Getenv("CRASH") == "all", "cut at every call and pair of calls")
	only = flag.String("scenario", "", "of the worlds on AWS; empty: all")
	seed = flag.Uint64("seed", 0, "of the sample of pairs; 0: a random one")
)

func TestMain(m *testing.M) {
	slog.SetDefault(quiet) // a cut pump complains
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64()
	}
	fmt.Printf("crash: -seed %d\n", *seed)
	code := m.Run()
	fmt.Println("crash:", &met)
	os.Exit(code)
}

// backend opens the store and the queue of a world, in its bubble.
type backend struct {
	name string
	open func(t *testing.T, dir string) (task.Store, queue.Queue, func())
}

var backends = []backend{
	{"memory", func(*testing.T, string) (task.Store, queue.Queue, func()) {
		return memory.New(memory.Options{}), local.New(local.Options{}), func() {}
	}},
	{"sqlite", func(t *testing.T, dir string) (task.Store, queue.Queue, func()) {
		// A file for each: the two would wait for one another while virtual time stands still.
		tasks, messages := openDB(t, dir, "tasks.db"), openDB(t, dir, "queue.db")
		s, err := sqlite.New(tasks)
		if err != nil {
			t.Fatal(err)
		}
		q, err := local.Open(messages, local.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s, q, func() { tasks.Close(); messages.Close() }
	}},
}

func openDB(t *testing.T, dir, name string) *sql.DB {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// play runs one world in virtual time. mutate, if any, breaks it.
func play(t *testing.T, b backend, s scenario, cuts []cut, mutate func(*world)) (w *world, faults []string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "crash")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	synctest.Test(t, func(t *testing.T) {
		inner, q, closeAll := b.open(t, dir)
		w = newWorld(s, inner, q, cuts)
		if mutate != nil {
			mutate(w)
		}
		faults = w.run()
		closeAll()
	})
	return w, faults
}

// one plays a world and takes up what it met.
func one(t *testing.T, b backend, s scenario, cuts []cut) *world {
	t.Helper()
	w, faults := play(t, b, s, cuts, nil)
	if len(faults) > 0 {
		t.Errorf("%s: %v", schedule(s, w), faults)
	}
	met.add(b, s, w)
	return w
}

func TestCuts(t *testing.T) {
	t.Parallel()
	for _, b := range backends {
		for _, s := range append(loops(), scenarios...) {
			t.Run(b.name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				w := one(t, b, s, nil)
				if s.contended && w.observer.moved == 0 {
					t.Error("no two tasks ended at the same time: it proves too little")
				}
				n, r := w.calls.count(), rand.New(rand.NewPCG(*seed, 0))
				few, more := s.sample(b)
				played := 0
				for _, cuts := range append(sample(r, singles(n), few), somePairs(r, n, more)...) {
					one(t, b, s, cuts)
					if played++; t.Failed() && played > 20 {
						t.FailNow()
					}
				}
				t.Logf("%d calls uncut, %d worlds", n, played)
			})
		}
	}
}

// protocol rule "after a cancel commits no intent commits": just before each call
// of a loop its caller cancels, or answers what is open or may come to be; in make test before some,
// with CRASH=all before each, also under every cut.
func TestActs(t *testing.T) {
	t.Parallel()
	for _, b := range backends {
		for _, s := range loops()[:3] {
			for _, cancels := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s/%s/cancels=%v", b.name, s.name, cancels), func(t *testing.T) {
					t.Parallel()
					acts(t, b, s, cancels)
				})
			}
		}
	}
}

func acts(t *testing.T, b backend, s scenario, cancels bool) {
	n := one(t, b, s, nil).calls.count()
	r := rand.New(rand.NewPCG(*seed, 1))
	few, under := samplePoints(b)
	points := r.Perm(n)[:min(n, few)]
	canceled := 0
	for _, point := range points {
		if s.answerAt = point + 1; cancels {
			s.cancelAt, s.answerAt = point+1, 0
		}
		if w := one(t, b, s, nil); w.ended(a2a.TaskStateCanceled) {
			canceled++
		}
		for _, cuts := range sample(r, singles(n), under) {
			one(t, b, s, cuts)
		}
	}
	// The last calls of all come after the task has completed.
	if want := len(points) / 3; cancels && canceled < want {
		t.Errorf("of %d cancels %d came in time: it proves too little", len(points), canceled)
	}
}

// ended reports whether all tasks of a world that is over did so.
func (w *world) ended(state a2a.TaskState) bool {
	for _, r := range w.observer.last {
		if r.Status.State != state {
			return false
		}
	}
	return true
}
