package crash

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// caller is what a world's people saw. They act side by side, and in the middle of others' calls.
type caller struct {
	mu       sync.Mutex
	keys     []task.Key
	answered map[string]bool // messages that were taken for answers
	refused  map[string]bool // effects whose late approval was not
	faults   []string
}

func (c *caller) fault(format string, args ...any) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.faults = append(c.faults, fmt.Sprintf(format, args...))
}

func (c *caller) giveUp(effect string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.refused[effect] = true
}

func (c *caller) gaveUp(effect string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refused[effect]
}

func (c *caller) took(m a2a.Message) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answered[m.MessageID] = true
}

// call is a caller: it sends its message, answers and cancels, retrying what fails, until the task
// ends.
func (w *world) call(n int) {
	key, ok := w.begin(n)
	if !ok {
		return
	}
	for range 3600 {
		time.Sleep(time.Second)
		r := w.observer.records()[key]
		if r.Status.State.Terminal() {
			return
		}
		if at := w.scenario.cancelAt; at > 0 && w.calls.count() >= at {
			w.cancel(key)
			continue
		}
		if open, ok := r.Open(); ok {
			w.answer(r, open)
		}
	}
	w.caller.fault("stuck")
}

// begin sends the message of the n-th task.
func (w *world) begin(n int) (task.Key, bool) {
	result, err := w.try("SendMessage", sending(first(n, strings.ReplaceAll(w.scenario.script, "NAP", w.pace.nap.String()))), fmt.Sprint("key-", n))
	if err != nil {
		w.caller.fault("the message was refused: %v", err)
		return task.Key{}, false
	}
	key := task.Key{Scope: task.Scope{Owner: owner.Subject}, ID: result.(a2a.SendMessageResponse).Task.ID}
	w.caller.mu.Lock()
	defer w.caller.mu.Unlock()
	w.caller.keys = append(w.caller.keys, key)
	return key, true
}

func first(n int, text string) a2a.Message {
	return a2a.Message{
		MessageID: fmt.Sprint("m-", n), Role: a2a.RoleUser, ContextID: "ticket-1",
		Parts: []a2a.Part{{Content: a2a.Text(text)}},
	}
}

// act is what the caller does just before a call of somebody: cancel, or answer.
func (w *world) act() {
	for key, r := range w.observer.records() {
		open, paused := r.Open()
		switch {
		case w.scenario.cancelAt > 0:
			w.cancel(key)
		case paused:
			w.answer(r, open)
		default:
			w.consent(r)
		}
	}
}

// consent says yes to all that a task may yet come to ask. Where it did not, that is refused
// the observer holds that it is.
func (w *world) consent(r *task.Record) {
	for id := range r.Effects {
		m := reply(r, interaction.Interaction{ID: id, Kind: interaction.Approval}, true)
		m.MessageID = "early:" + id
		w.offer(m)
	}
}

// offer sends an answer that may be taken, or come too early or too late.
func (w *world) offer(m a2a.Message) (taken bool) {
	_, err := w.try("SendMessage", sending(m), "")
	switch {
	case err == nil:
		w.caller.took(m)
		return true
	case err.Code != a2a.CodeUnsupportedOperation:
		w.caller.fault("%s was refused: %v", m.MessageID, err)
	}
	return false
}

// answer answers what is open, unless nobody does, or not yet.
func (w *world) answer(r *task.Record, open interaction.Interaction) {
	about := "ask_user"
	if open.Detail != nil {
		about = open.Detail.Tool
	}
	yes := w.scenario.consents(open)
	before, late := w.scenario.late[about]
	switch {
	case w.scenario.silent[about]:
	case late && open.ID == open.EffectID():
		if !time.Now().Before(r.Expires.Add(-before)) && !w.caller.gaveUp(open.ID) {
			w.late(r, reply(r, open, yes), open.ID)
		}
	case w.scenario.twice:
		w.contest(reply(r, open, yes), reply(r, open, !yes))
	case !w.offer(reply(r, open, yes)) && w.calls.at == 0: // or else it met a cancel, or an early answer
		w.caller.fault("the answer to %s was refused", open.ID)
	}
}

// late answers about when the interaction expires: one of the two counts; behind it, that does.
func (w *world) late(r *task.Record, m a2a.Message, effect string) {
	behind := !time.Now().Before(r.Expires)
	taken := w.offer(m)
	if taken && behind {
		w.caller.fault("%s was taken behind its time", m.MessageID)
	}
	if !taken {
		w.caller.giveUp(effect)
	}
}

// contest answers while somebody else says the opposite: one of the two counts, and goes on
// counting when both say it again.
func (w *world) contest(m, rival a2a.Message) {
	rival.MessageID += ":rival"
	var taken [2]bool
	for range 2 {
		before := taken
		var wg sync.WaitGroup
		wg.Go(func() { taken[0] = w.offer(m) })
		wg.Go(func() { taken[1] = w.offer(rival) })
		wg.Wait()
		if taken[0] == taken[1] || before != [2]bool{} && before != taken {
			w.caller.fault("of %s and its rival were taken %v, then %v", m.MessageID, before, taken)
		}
	}
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

func (w *world) cancel(key task.Key) {
	params, _ := a2a.Marshal(a2a.CancelTaskRequest{ID: key.ID})
	if _, err := w.try("CancelTask", params, ""); err != nil && err.Code != a2a.CodeTaskNotCancelable {
		w.caller.fault("cancel was refused: %v", err)
	}
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

// try makes a call of the API until it has an answer that is no internal error, by a new process
// whenever one dies.
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
