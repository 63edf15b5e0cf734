package sqlite_test

import (
	"context"
	"iter"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/storetest"
)

// Several stores of one file, as processes have them, are one store: no call is served by the one
// that served the call before (STORE-11).
func TestProcesses(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB) storetest.Harness {
		path := filepath.Join(t.TempDir(), "tasks.db")
		return storetest.Harness{Store: &processes{stores: []task.Store{open(t, path), open(t, path), open(t, path)}}}
	})
}

type processes struct {
	stores []task.Store
	calls  atomic.Uint64
}

func (p *processes) next() task.Store { return p.stores[p.calls.Add(1)%uint64(len(p.stores))] }

func (p *processes) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	return p.next().Create(ctx, r, first)
}

func (p *processes) Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error) {
	return p.next().Read(ctx, k, after)
}

func (p *processes) Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
	return p.next().Claim(ctx, k, c, hint)
}

func (p *processes) Renew(ctx context.Context, k task.Key, g task.Guard, until time.Time) error {
	return p.next().Renew(ctx, k, g, until)
}

func (p *processes) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	return p.next().Commit(ctx, k, c)
}

func (p *processes) Mark(ctx context.Context, k task.Key, revision, pushed uint64) error {
	return p.next().Mark(ctx, k, revision, pushed)
}

func (p *processes) List(ctx context.Context, s task.Scope, q task.Query) (task.Page, error) {
	return p.next().List(ctx, s, q)
}

func (p *processes) Journal(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
	return p.next().Journal(ctx, k, prefix)
}

func (p *processes) Conversation(ctx context.Context, s task.Scope, contextID string, version uint64) (task.Transcript, error) {
	return p.next().Conversation(ctx, s, contextID, version)
}

func (p *processes) Due(ctx context.Context, now time.Time) iter.Seq2[task.Due, error] {
	return p.next().Due(ctx, now)
}

func (p *processes) Defer(ctx context.Context, d task.Due, wake time.Time) error {
	return p.next().Defer(ctx, d, wake)
}

func (p *processes) Say(ctx context.Context, k task.Key, t task.Text) error {
	return p.next().Say(ctx, k, t)
}

func (p *processes) Said(ctx context.Context, k task.Key, after task.TextMark) ([]task.Text, error) {
	return p.next().Said(ctx, k, after)
}
