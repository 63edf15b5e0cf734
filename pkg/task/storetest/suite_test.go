package storetest

import (
	"context"
	"errors"
	"iter"
	"slices"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
)

// recorder is a testing.TB that keeps to itself whether a check failed.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Error(...any)          { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; r.TB.SkipNow() }

// Each way of breaking a store is caught by the check that is there for it.
func TestSuiteBites(t *testing.T) {
	t.Parallel()
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			i := slices.IndexFunc(checks, func(c check) bool { return c.name == m.caught })
			if i < 0 {
				t.Fatalf("there is no check %q", m.caught)
			}
			if fails(t, checks[i], memory.New(memory.Options{})) {
				t.Errorf("%q fails for a store that is not broken", m.caught)
			}
			if !fails(t, checks[i], m.breaks(memory.New(memory.Options{}))) {
				t.Errorf("%q passes", m.caught)
			}
		})
	}
}

// fails reports whether a check fails for a store.
func fails(t *testing.T, c check, s task.Store) bool {
	var r recorder
	t.Run(c.name, func(t *testing.T) { // skipped where it fails
		r.TB = t
		c.run(&r, Harness{Store: s})
	})
	return r.failed
}

var mutants = []struct {
	name   string
	caught string // by which check
	breaks func(task.Store) task.Store
}{
	{"ignores fence and lease", "commit of a zombie", func(s task.Store) task.Store {
		return forces(s, func(g task.Guard, r *task.Record) task.Guard { return task.Guard{Revision: g.Revision} })
	}},
	{"ignores the fence", "commit of a zombie", func(s task.Store) task.Store {
		return forces(s, func(g task.Guard, r *task.Record) task.Guard { g.Fence = r.Fence; return g })
	}},
	{"ignores the lease", "commit of a zombie", func(s task.Store) task.Store {
		return forces(s, func(g task.Guard, r *task.Record) task.Guard {
			if r.Lease != nil {
				g.LeaseID = r.Lease.ID
			}
			return g
		})
	}},
	{"ignores the revision", "commit of a stale revision", func(s task.Store) task.Store {
		return forces(s, func(g task.Guard, r *task.Record) task.Guard { g.Revision = r.Revision; return g })
	}},
	{"lets all answers win", "commit race", func(s task.Store) task.Store {
		return forces(s, func(g task.Guard, r *task.Record) task.Guard { g.Revision = r.Revision; return g })
	}},
	{"copies the lease's end back", "commit keeps what it did not read", func(s task.Store) task.Store {
		return mutant{Store: s, commit: func(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
			r, err := s.Commit(ctx, k, c)
			if err == nil && r.Lease != nil && c.Next.Lease != nil {
				r.Lease.Until = c.Next.Lease.Until
				err = s.Renew(ctx, k, r.RunGuard(), r.Lease.Until)
			}
			return r, err
		}}
	}},
	{"copies the wake back", "commit keeps what it did not read", func(s task.Store) task.Store {
		return mutant{Store: s, commit: func(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
			all := *c
			all.SetWake = true
			return s.Commit(ctx, k, &all)
		}}
	}},
	{"copies the mark back", "commit keeps what it did not read", func(s task.Store) task.Store {
		return mutant{Store: s, commit: func(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
			all := *c
			all.SetPushed = true
			return s.Commit(ctx, k, &all)
		}}
	}},
	{"claims over a live lease", "claim over a lease", func(s task.Store) task.Store {
		return claimsLater(s, time.Hour)
	}},
	{"claims without a margin", "claim over a lease", func(s task.Store) task.Store {
		return claimsLater(s, task.ClaimMargin)
	}},
	{"claims its own again", "claim over a lease", func(s task.Store) task.Store {
		return mutant{Store: s, claim: func(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
			r, err := s.Claim(ctx, k, c, hint)
			if current := met(err); current != nil && current.Lease != nil && current.Lease.ID == c.Lease.ID {
				return current, nil
			}
			return r, err
		}}
	}},
	{"lets all claims win", "claim race", func(s task.Store) task.Store {
		return claimsLater(s, time.Hour)
	}},
	{"claims for all", "claim not live", func(s task.Store) task.Store {
		return mutant{Store: s, claim: func(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
			r, err := s.Claim(ctx, k, c, hint)
			if current := met(err); current != nil {
				return current, nil
			}
			return r, err
		}}
	}},
	{"creates over a task", "create refused", func(s task.Store) task.Store {
		return mutant{Store: s, create: func(ctx context.Context, r *task.Record, first []task.Event) error {
			return swallows(s.Create(ctx, r, first))
		}}
	}},
	{"refuses without the record", "create refused", func(s task.Store) task.Store {
		return mutant{Store: s, create: func(ctx context.Context, r *task.Record, first []task.Event) error {
			if err := s.Create(ctx, r, first); err != nil {
				return &task.Refused{}
			}
			return nil
		}}
	}},
	{"renews for all", "renew refused", func(s task.Store) task.Store {
		return mutant{Store: s, renew: func(ctx context.Context, k task.Key, g task.Guard, until time.Time) error {
			return swallows(s.Renew(ctx, k, g, until))
		}}
	}},
	{"does not renew", "renew", func(s task.Store) task.Store {
		return mutant{Store: s, renew: func(context.Context, task.Key, task.Guard, time.Time) error { return nil }}
	}},
	{"removes the wake with every mark", "mark keeps wake", func(s task.Store) task.Store {
		return mutant{Store: s, mark: func(ctx context.Context, k task.Key, _, pushed uint64) error {
			r, _, err := s.Read(ctx, k, task.Latest)
			if err != nil {
				return err
			}
			return s.Mark(ctx, k, r.Revision, pushed)
		}}
	}},
	{"does not mark", "mark", func(s task.Store) task.Store {
		return mutant{Store: s, mark: func(context.Context, task.Key, uint64, uint64) error { return nil }}
	}},
	{"lets all recoveries win", "defer race", func(s task.Store) task.Store {
		return mutant{Store: s, deferTo: func(ctx context.Context, d task.Due, wake time.Time) error {
			return swallows(s.Defer(ctx, d, wake))
		}}
	}},
	{"defers what was claimed", "lagging indexes", func(s task.Store) task.Store {
		return mutant{Store: s, deferTo: func(ctx context.Context, d task.Due, wake time.Time) error {
			return swallows(s.Defer(ctx, d, wake))
		}}
	}},
	{"repeats the last of a page", "list pages", func(s task.Store) task.Store {
		return mutant{Store: s, list: func(ctx context.Context, sc task.Scope, q task.Query) (task.Page, error) {
			if q.From.ID != "" {
				q.From.ID += "\x00"
			}
			return s.List(ctx, sc, q)
		}}
	}},
	{"pages by time alone", "list pages", func(s task.Store) task.Store {
		return mutant{Store: s, list: func(ctx context.Context, sc task.Scope, q task.Query) (task.Page, error) {
			if q.From.ID != "" {
				q.From.ID = "\x00"
			}
			return s.List(ctx, sc, q)
		}}
	}},
	{"ignores the state filter", "list filters", func(s task.Store) task.Store {
		return mutant{Store: s, list: func(ctx context.Context, sc task.Scope, q task.Query) (task.Page, error) {
			q.State = ""
			return s.List(ctx, sc, q)
		}}
	}},
	{"joins tenant and owner", "isolation", func(s task.Store) task.Store {
		join := func(k task.Key) task.Key {
			k.Owner, k.Tenant = k.Tenant+"#"+k.Owner, ""
			return k
		}
		return mutant{
			Store: s,
			create: func(ctx context.Context, r *task.Record, first []task.Event) error {
				joined := *r
				joined.Key = join(r.Key)
				return s.Create(ctx, &joined, first)
			},
			claim: func(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
				return s.Claim(ctx, join(k), c, hint)
			},
			commit: func(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
				return s.Commit(ctx, join(k), c)
			},
		}
	}},
	{"ignores the conversation's version", "conversation moved", ignoresVersion},
	{"ignores the conversation's version", "conversation race", ignoresVersion},
	{"loses events", "read", func(s task.Store) task.Store {
		return mutant{Store: s, read: func(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
			r, events, err := s.Read(ctx, k, after)
			if len(events) > 2 {
				events = slices.Delete(events, 1, 2)
			}
			return r, events, err
		}}
	}},
	{"reads another prefix", "journal", func(s task.Store) task.Store {
		return mutant{Store: s, journal: func(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
			return s.Journal(ctx, k, prefix[:min(len(prefix), len("agent/"))])
		}}
	}},
}

// claimsLater claims as if it were later.
func claimsLater(s task.Store, d time.Duration) task.Store {
	return mutant{Store: s, claim: func(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
		c.Now = c.Now.Add(d)
		return s.Claim(ctx, k, c, hint)
	}}
}

// ignoresVersion adds a turn whatever was added since its version was read.
func ignoresVersion(s task.Store) task.Store {
	return mutant{Store: s, commit: func(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
		for {
			r, err := s.Commit(ctx, k, c)
			var moved *task.ConversationMoved
			if !errors.As(err, &moved) {
				return r, err
			}
			forced, turn := *c, *c.Turn
			turn.Version, forced.Turn = moved.Version, &turn
			c = &forced
		}
	}}
}
