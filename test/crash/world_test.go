package crash

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

var (
	owner = access.Principal{Subject: "alice"}
	quiet = slog.New(slog.NewTextHandler(io.Discard, nil))
)

// world is one run: processes around one store and one queue.
type world struct {
	scenario  scenario
	pace      pace
	inner     task.Store // as it is, for looking
	observer  *observer  // what processes write through
	queue     queue.Queue
	calls     *calls
	sent      *sent
	noRecover bool
	wrap      func(agent.Agent) agent.Agent // nil: as it is

	ctx context.Context
	end context.CancelFunc
	wg  sync.WaitGroup

	caller caller
}

func newWorld(s scenario, inner task.Store, q queue.Queue, cuts []cut) *world {
	w := &world{
		scenario: s, pace: virtual, inner: inner, queue: q,
		observer: &observer{Store: inner, mu: make(lock, 1), last: map[task.Key]*task.Record{}},
		calls:    &calls{cuts: map[int]cut{}},
		sent:     &sent{count: map[string]int{}},
		caller:   caller{answered: map[string]bool{}, refused: map[string]bool{}},
	}
	w.calls.at, w.calls.act = max(s.cancelAt, s.answerAt), w.act
	for _, c := range cuts {
		w.calls.cuts[c.at] = c
	}
	w.ctx, w.end = context.WithCancel(context.Background())
	return w
}

// run plays the scenario to its end and returns the invariants that do not hold.
func (w *world) run() (faults []string) {
	for range 2 {
		w.wg.Go(w.work)
	}
	if !w.noRecover {
		w.wg.Go(w.recover)
	}
	var callers sync.WaitGroup
	for n := range w.scenario.tasks() {
		callers.Go(func() { w.call(n + 1) })
	}
	callers.Wait()
	time.Sleep(time.Until(w.calls.awake())) // zombies go on
	time.Sleep(w.pace.rest)
	w.end()
	w.wg.Wait()
	return w.check(context.Background())
}

// work runs a worker, and another one when it dies.
func (w *world) work() {
	for w.ctx.Err() == nil {
		p := w.newProcess()
		q := pokes{p, w.queue, w.scenario.twice}
		worker, err := turn.New(turn.Options{
			Store: store{p, w.observer}, Queue: q, Log: quiet, Lease: w.pace.lease,
			Agent: w.agent(p),
		})
		if err != nil {
			panic(err)
		}
		queue.Run(p.ctx, q, 2, 4*time.Minute, worker.Handle)
		p.end()
		time.Sleep(time.Second)
	}
}

// agent is what a process works on tasks with.
func (w *world) agent(p *process) agent.Agent {
	if w.scenario.loop != nil {
		loop := newLoop(w, p)
		if w.wrap != nil {
			return w.wrap(loop)
		}
		return loop
	}
	return &agenttest.Agent{
		Class: w.scenario.class,
		Call:  func(ctx context.Context, id, _, _ string) error { return w.sent.call(ctx, w, p, id) },
	}
}

// recover runs recovery again and again.
func (w *world) recover() {
	for {
		select {
		case <-time.After(w.pace.recover):
		case <-w.ctx.Done():
			return
		}
		p := w.newProcess()
		turn.Recover(p.ctx, store{p, w.observer}, pokes{p, w.queue, w.scenario.twice}, time.Now(), 10)
		p.end()
	}
}
