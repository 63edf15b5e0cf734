package crash

import (
	"database/sql"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
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
	os.Exit(m.Run())
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

// schedule names what a run met: its cuts and the calls they fell on.
func schedule(s scenario, w *world) string { return s.name + ": " + strings.Join(w.calls.hit, ", ") }

// singles are all cuts at one call of a run of n calls.
func singles(n int) (cuts [][]cut) {
	for at := 1; at <= n; at++ {
		for k := range kinds {
			cuts = append(cuts, []cut{{at, false, k}}, []cut{{at, true, k}})
		}
	}
	return cuts
}

// pairs are all cuts at two calls.
func pairs(n int) (cuts [][]cut) {
	one := singles(n)
	for _, a := range one {
		for _, b := range one {
			if a[0].at < b[0].at {
				cuts = append(cuts, []cut{a[0], b[0]})
			}
		}
	}
	return cuts
}

// sample draws n of cuts; n < 0: all.
func sample(r *rand.Rand, cuts [][]cut, n int) [][]cut {
	if n < 0 || n >= len(cuts) {
		return cuts
	}
	r.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
	return cuts[:n]
}

// sample is how many single cuts and pairs of a scenario make test plays: about a thousand schedules
// of the loops on memory, some hundred of the scripts, a few on SQLite.
func (s scenario) sample(backend string) (singles, pairs int) {
	special := s.loop != nil && (s.twice || s.silent != nil || s.rival)
	switch {
	case backend == "sqlite" && special:
		return 4, 2
	case backend == "sqlite":
		return 20, 10
	case special:
		return 30, 10
	case s.loop != nil:
		return 230, 70
	}
	return 120, 40
}

// R9, design rule "after a cancel commits no intent commits": the caller of a loop cancels at every
// call of its turn, in make test at some; with CRASH=all each of them also under every cut.
func TestCancels(t *testing.T) {
	t.Parallel()
	for _, s := range loops()[:3] {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			w, _ := play(t, backends[0], s, nil, nil)
			n := w.calls.count()
			r := rand.New(rand.NewPCG(*seed, 1))
			var at [][]cut
			for i := range n {
				at = append(at, []cut{{at: i + 1}})
			}
			points, under := 20, 1
			if *all {
				points, under = -1, -1
			}
			canceled := 0
			for _, point := range sample(r, at, points) {
				s.cancelAt = point[0].at
				for _, cuts := range append([][]cut{nil}, sample(r, singles(n), under)...) {
					w, faults := play(t, backends[0], s, cuts, nil)
					if len(faults) > 0 {
						t.Errorf("canceled at call %d, %v: %v", s.cancelAt, w.calls.hit, faults)
					}
					if w.observer.last.Status.State == a2a.TaskStateCanceled {
						canceled++
					}
				}
			}
			if canceled < points {
				t.Errorf("%d worlds were canceled: it proves too little", canceled)
			}
		})
	}
}

func TestCuts(t *testing.T) {
	t.Parallel()
	for _, b := range backends {
		for _, s := range append(loops(), scenarios...) {
			t.Run(b.name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				w, faults := play(t, b, s, nil, nil)
				if len(faults) > 0 {
					t.Fatalf("without any cut: %v", faults)
				}
				n := w.calls.count()
				r := rand.New(rand.NewPCG(*seed, 0))
				one, two := s.sample(b.name)
				if *all {
					one, two = -1, -1
				}
				met := map[string]bool{}
				for _, cuts := range append(sample(r, singles(n), one), sample(r, pairs(n), two)...) {
					w, faults := play(t, b, s, cuts, nil)
					met[schedule(s, w)] = true
					if len(faults) > 0 {
						t.Errorf("%v: %v", w.calls.hit, faults)
					}
					if t.Failed() && len(met) > 20 {
						t.FailNow()
					}
				}
				t.Logf("%d calls uncut, %d distinct schedules", n, len(met))
			})
		}
	}
}
