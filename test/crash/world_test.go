package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/server"
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

	// what the caller saw
	key      task.Key
	answered map[string]bool
	faults   []string
}

func newWorld(s scenario, inner task.Store, q queue.Queue, cuts []cut) *world {
	w := &world{
		scenario: s, pace: virtual, inner: inner, observer: &observer{Store: inner, mu: make(lock, 1)}, queue: q,
		calls:    &calls{cuts: map[int]cut{}},
		sent:     &sent{count: map[string]int{}},
		answered: map[string]bool{},
	}
	for _, c := range cuts {
		w.calls.cuts[c.at] = c
	}
	if s.rival {
		w.observer.Store = &contended{Store: inner}
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
	w.call()
	time.Sleep(w.pace.rest) // zombies wake
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
	for w.ctx.Err() == nil {
		time.Sleep(w.pace.recover)
		p := w.newProcess()
		turn.Recover(p.ctx, store{p, w.observer}, pokes{p, w.queue, false}, time.Now(), 10)
		p.end()
	}
}

// call is the caller: it sends, answers and cancels, retrying what fails, until the task ends.
func (w *world) call() {
	w.send(a2a.Message{
		MessageID: "m-1", Role: a2a.RoleUser, ContextID: "ticket-1",
		Parts: []a2a.Part{{Content: a2a.Text(w.scenario.script)}},
	}, "SendMessage", "key-1")
	if w.key.ID == "" {
		return
	}
	for range 3600 {
		time.Sleep(time.Second)
		r := w.observer.record()
		if r.Status.State.Terminal() {
			return
		}
		if at := w.scenario.cancelAt; at > 0 && w.calls.count() >= at {
			w.cancel()
			continue
		}
		if open, ok := r.Open(); ok {
			w.answer(r, open)
		}
	}
	w.fault("stuck")
}

func (c *calls) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

func (w *world) fault(format string, args ...any) {
	w.faults = append(w.faults, fmt.Sprintf(format, args...))
}

// answer answers what is open, unless nobody does, or not yet.
func (w *world) answer(r *task.Record, open interaction.Interaction) {
	about := "ask_user"
	if open.Detail != nil {
		about = open.Detail.Tool
	}
	late := w.scenario.late[about] && open.ID == open.EffectID()
	if w.scenario.silent[about] || late && time.Now().Before(r.Expires.Add(-time.Second)) {
		return
	}
	m := w.scenario.answer(r, open)
	if late { // it comes with the expiry, or behind it: one of the two counts
		_, err := w.try("SendMessage", sending(m), "")
		if w.answered[m.MessageID] = err == nil; err != nil {
			delete(w.answered, m.MessageID)
		}
		return
	}
	if !w.send(m, "SendMessage", "") {
		return
	}
	w.answered[m.MessageID] = true
	if !w.scenario.twice {
		return
	}
	w.send(m, "SendMessage", "")
	rival := m
	rival.MessageID += ":rival"
	if _, err := w.try("SendMessage", sending(rival), ""); err == nil || err.Code != a2a.CodeUnsupportedOperation {
		w.fault("a second answer to %s came to %v", open.ID, err)
	}
}

// send sends a message until it is accepted, by a new process whenever one dies.
func (w *world) send(m a2a.Message, method, key string) (accepted bool) {
	out, ok := w.request(method, sending(m), key)
	if !ok {
		return false
	}
	t := out.(a2a.SendMessageResponse).Task
	w.key = task.Key{Scope: task.Scope{Owner: owner.Subject}, ID: t.ID}
	return true
}

func sending(m a2a.Message) json.RawMessage {
	params, err := a2a.Marshal(a2a.SendMessageRequest{
		Message: m, Configuration: a2a.SendMessageConfiguration{ReturnImmediately: true},
	})
	if err != nil {
		panic(err)
	}
	return params
}

func (w *world) cancel() {
	params, _ := a2a.Marshal(a2a.CancelTaskRequest{ID: w.key.ID})
	w.request("CancelTask", params, "")
}

// api is the server of one process.
func (w *world) api(p *process) *server.Server {
	s, err := server.New(server.Options{
		Store: store{p, w.observer}, Queue: pokes{p, w.queue, w.scenario.twice}, Log: quiet,
		Card: a2a.AgentCard{Name: "test"}, Secret: server.Static(make([]byte, 32)),
	})
	if err != nil {
		panic(err)
	}
	return s
}

// request makes a call that must not be refused, except that a finished task can't be canceled.
func (w *world) request(method string, params json.RawMessage, key string) (result any, ok bool) {
	result, err := w.try(method, params, key)
	if err != nil && err.Code != a2a.CodeTaskNotCancelable {
		w.fault("%s was refused: %v %v", method, err, err.Metadata)
	}
	return result, err == nil
}

// try makes a call of the API until it has an answer that is no internal error.
func (w *world) try(method string, params json.RawMessage, key string) (result any, err *a2a.Error) {
	for range 20 {
		p := w.newProcess()
		out := w.api(p).Call(p.ctx, method, params, server.CallContext{Principal: owner, IdempotencyKey: key})
		dead := p.isDead()
		p.end()
		if !dead && (out.Err == nil || out.Err.Code != a2a.CodeInternal) {
			return out.Result, out.Err
		}
		time.Sleep(time.Second)
	}
	return nil, &a2a.Error{Code: a2a.CodeInternal, Message: "never answered"}
}
