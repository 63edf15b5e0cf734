package turn

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
)

var errBroken = errors.New("broken")

// fake is an agent of two functions.
type fake struct {
	start  func(context.Context, agent.Run, agent.Input) (agent.Outcome, error)
	resume func(context.Context, agent.Run, agent.Input, map[string]interaction.Answer) (agent.Outcome, error)
}

func (f fake) Start(ctx context.Context, r agent.Run, in agent.Input) (agent.Outcome, error) {
	return f.start(ctx, r, in)
}

func (f fake) Resume(ctx context.Context, r agent.Run, in agent.Input, answers map[string]interaction.Answer) (agent.Outcome, error) {
	return f.resume(ctx, r, in, answers)
}

// outcome is an agent that ends every slice alike.
func outcome(out agent.Outcome, err error) fake {
	return fake{
		func(context.Context, agent.Run, agent.Input) (agent.Outcome, error) { return out, err },
		func(context.Context, agent.Run, agent.Input, map[string]interaction.Answer) (agent.Outcome, error) {
			return out, err
		},
	}
}

// pokes is a queue that remembers what it was told.
type pokes struct {
	mu      sync.Mutex
	sent    []queue.Poke
	visible []time.Duration
	fail    error // of Send
}

func (q *pokes) Send(_ context.Context, p queue.Poke, _ time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.fail == nil {
		q.sent = append(q.sent, p)
	}
	return q.fail
}

func (q *pokes) Extend(_ context.Context, _ string, d time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.visible = append(q.visible, d)
	return nil
}

func (q *pokes) last() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.visible) == 0 {
		return 0
	}
	return q.visible[len(q.visible)-1]
}

// faulty is a store whose calls can be made to fail.
type faulty struct {
	task.Store
	before func()       // a commit
	claim  func() error // after the claim took effect
	renew  func() error // before
	commit func() error // after the commit took effect
}

func (s *faulty) Claim(ctx context.Context, k task.Key, c task.Claiming, hint a2a.TaskState) (*task.Record, error) {
	r, err := s.Store.Claim(ctx, k, c, hint)
	if s.claim != nil && err == nil {
		if err := s.claim(); err != nil {
			return nil, err
		}
	}
	return r, err
}

func (s *faulty) Renew(ctx context.Context, k task.Key, g task.Guard, until time.Time) error {
	if s.renew != nil {
		if err := s.renew(); err != nil {
			return err
		}
	}
	return s.Store.Renew(ctx, k, g, until)
}

func (s *faulty) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	if s.before != nil {
		s.before()
	}
	r, err := s.Store.Commit(ctx, k, c)
	if s.commit != nil && err == nil {
		if err := s.commit(); err != nil {
			return nil, err
		}
	}
	return r, err
}

// bench is a worker with its surroundings.
type bench struct {
	*testing.T
	store  *faulty
	queue  *pokes
	worker *Worker
}

func newBench(t *testing.T, a agent.Agent, options ...func(*Options)) *bench {
	t.Helper()
	b := &bench{T: t, store: &faulty{Store: memory.New(memory.Options{})}, queue: &pokes{}}
	o := Options{Store: b.store, Queue: b.queue, Agent: a, Replica: "r1", Log: slog.New(slog.NewTextHandler(io.Discard, nil))}
	for _, f := range options {
		f(&o)
	}
	var err error
	if b.worker, err = New(o); err != nil {
		t.Fatal(err)
	}
	return b
}

// accept creates a task and returns the delivery that pokes it.
func (b *bench) accept(text string) queue.Delivery {
	b.Helper()
	k := task.Key{Scope: task.Scope{Owner: "alice"}, ID: task.NewTaskID()}
	r, events := task.Accept(task.Acceptance{
		Key: k, ContextID: "ctx", Born: task.NewID(), At: time.Now(), Principal: access.Principal{Subject: "alice"},
		Message: a2a.Message{MessageID: task.NewID(), Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text(text)}}},
	})
	if err := b.store.Create(b.Context(), r, events); err != nil {
		b.Fatal(err)
	}
	return queue.Delivery{Poke: queue.Poke{Key: k, Hint: a2a.TaskStateSubmitted}, Receipt: "r", Attempt: 1}
}

func (b *bench) read(d queue.Delivery) (*task.Record, []task.Event) {
	b.Helper()
	r, events, err := b.store.Read(context.Background(), d.Poke.Key, 0)
	if err != nil {
		b.Fatal(err)
	}
	return r, events
}

func (b *bench) state(d queue.Delivery) a2a.TaskState {
	r, _ := b.read(d)
	return r.Status.State
}

// answer answers the open interaction of a task.
func (b *bench) answer(d queue.Delivery, body string) {
	b.Helper()
	r, _ := b.read(d)
	m := a2a.Message{
		MessageID: task.NewID(), Role: a2a.RoleUser, Extensions: []string{interaction.URI},
		Parts:    []a2a.Part{{Content: a2a.Text("x")}},
		Metadata: a2a.Metadata{interaction.URI: []byte(`{"interactionId":"` + r.Pending[0].ID + `",` + body + `}`)},
	}
	reply, err := interaction.ReadReply(m)
	if err != nil {
		b.Fatal(err)
	}
	c, err := task.Answer(r, task.Answering{Message: m, Reply: reply, Principal: access.Principal{Subject: "alice"}}, task.Write{ID: task.NewID(), At: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := b.store.Commit(b.Context(), d.Poke.Key, c); err != nil {
		b.Fatal(err)
	}
}

// cancel cancels a task as its caller.
func (b *bench) cancel(d queue.Delivery) {
	b.Helper()
	r, _ := b.read(d)
	c, err := task.Cancel(r, task.Write{ID: task.NewID(), At: time.Now()})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := b.store.Commit(context.Background(), d.Poke.Key, c); err != nil {
		b.Fatal(err)
	}
}

// handle handles a delivery and holds whether it is done.
func (b *bench) handle(d queue.Delivery, done bool) {
	b.Helper()
	if got := b.worker.Handle(context.Background(), d); got != done {
		b.Errorf("done: got %v, want %v", got, done)
	}
}

func (b *bench) want(d queue.Delivery, state a2a.TaskState) {
	b.Helper()
	if got := b.state(d); got != state {
		b.Errorf("state: got %s, want %s", got, state)
	}
}
