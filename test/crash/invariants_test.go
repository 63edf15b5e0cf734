package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// check holds what must be true at the end of a run. It returns what is not.
func (w *world) check(ctx context.Context) (faults []string) {
	fault := func(format string, args ...any) { faults = append(faults, fmt.Sprintf(format, args...)) }
	faults = append(faults, w.observer.faults...)
	faults = append(faults, w.sent.faults...)
	faults = append(faults, w.caller.faults...)
	if n := len(w.caller.keys); n != w.scenario.tasks() || len(w.observer.last) != n {
		fault("%d tasks were begun, and %d made, for %d", n, len(w.observer.last), w.scenario.tasks())
	}
	consents, taken := map[string]int{}, 0
	var completed []*task.Record
	for _, key := range w.caller.keys {
		r, events, err := w.inner.Read(ctx, key, 0)
		if err != nil {
			return append(faults, "read: "+err.Error())
		}
		w.checkEnd(r, fault)
		w.checkEvents(r, events, fault)
		w.checkConsents(ctx, r, consents, fault)
		w.checkSilence(ctx, r, fault)
		taken += len(r.Seen)
		if r.Status.State == a2a.TaskStateCompleted {
			completed = append(completed, r)
		}
	}
	if len(w.caller.answered) != taken {
		fault("%d answers were accepted, %d are recorded", len(w.caller.answered), taken)
	}
	w.checkSent(consents, fault)
	w.checkConversation(ctx, completed, fault)
	return faults
}

// checkEnd: a task ends, with nothing open, running or to be woken.
func (w *world) checkEnd(r *task.Record, fault func(string, ...any)) {
	switch state := r.Status.State; {
	case state == a2a.TaskStateCompleted:
	case state == a2a.TaskStateCanceled && w.scenario.cancelAt > 0:
	default:
		fault("ended %s: %v", state, r.Status.Message)
	}
	if r.Lease != nil || !r.Wake.IsZero() || len(r.Pending) > 0 {
		fault("ended with lease %v, wake %v, %d pending", r.Lease, r.Wake, len(r.Pending))
	}
}

// checkEvents: numbers without gaps, every message once, each answer in the history.
func (w *world) checkEvents(r *task.Record, events []task.Event, fault func(string, ...any)) {
	if uint64(len(events)) != r.Events {
		fault("%d events, counter %d", len(events), r.Events)
	}
	ids := map[string]bool{}
	artifacts := map[string]int{}
	for i, e := range events {
		if e.Seq != uint64(i+1) {
			fault("event %d has number %d", i+1, e.Seq)
		}
		switch {
		case e.Message != nil:
			if ids[e.Message.MessageID] {
				fault("message %s stands twice", e.Message.MessageID)
			}
			ids[e.Message.MessageID] = true
		case e.Artifact != nil:
			artifacts[e.Artifact.Artifact.ArtifactID]++
		}
	}
	for id, n := range artifacts {
		if n > 1 {
			fault("artifact %s was written %d times", id, n)
		}
	}
	for id, seen := range r.Seen {
		if !ids[id] || events[seen.Event-1].Message == nil {
			fault("answer %s is not in the history", id)
		}
	}
}

// checkConsents counts how often each call of a task was consented to. An approved one went out
// (INT-13).
func (w *world) checkConsents(ctx context.Context, r *task.Record, consents map[string]int, fault func(string, ...any)) {
	last := map[string]interaction.Answer{}
	for row, err := range w.inner.Journal(ctx, r.Key, task.AnswerRows) {
		var a interaction.Answer
		if err != nil || json.Unmarshal(row.Value, &a) != nil {
			fault("answer row %s: %v", row.Name, err)
			continue
		}
		if a.Kind != interaction.Approval || a.Expired {
			continue
		}
		id := interaction.Interaction{ID: a.InteractionID}.EffectID()
		if a.Approved {
			consents[id]++
		}
		if a.At.After(last[id].At) {
			last[id] = a
		}
		if a.ApprovedBy != owner.Subject {
			fault("answer %s is by %q", a.InteractionID, a.ApprovedBy)
		}
	}
	for _, id := range w.free(ctx, r.Key, fault) {
		consents[id]++
	}
	for id, a := range last {
		if a.Approved && w.sent.count[id] == 0 && r.Status.State != a2a.TaskStateCanceled {
			fault("call %s was approved and never went out", id)
		}
	}
}

// checkSent: no call goes out without consent, a write no more often than consented to (INT-14, R-32).
func (w *world) checkSent(consents map[string]int, fault func(string, ...any)) {
	once := w.scenario.class != task.ClassIdempotent && w.scenario.class != task.ClassRead
	for id, n := range w.sent.count {
		if once && n > consents[id] || n > 0 && consents[id] == 0 {
			fault("call %s went out %d times with %d consents", id, n, consents[id])
		}
	}
}

// checkConversation: a completed task adds its turn once, whichever completes beside it.
func (w *world) checkConversation(ctx context.Context, completed []*task.Record, fault func(string, ...any)) {
	contextID := first(1, "").ContextID
	c, err := w.inner.Conversation(ctx, task.Scope{Owner: owner.Subject}, contextID, task.Latest)
	if err != nil || c.Version != uint64(len(completed)) {
		fault("conversation has %d turns, want %d (%v)", c.Version, len(completed), err)
	}
	ids, said, asked := map[string]bool{}, map[string]int{}, 0
	for _, m := range c.Messages {
		if ids[m.MessageID] {
			fault("message %s stands twice in the conversation", m.MessageID)
		}
		ids[m.MessageID] = true
		if m.Role == a2a.RoleAgent {
			said[m.TaskID]++
		}
	}
	for n := range w.scenario.tasks() {
		if ids[first(n+1, "").MessageID] {
			asked++
		}
	}
	if asked != len(completed) {
		fault("the messages of %d tasks are in the conversation, want %d", asked, len(completed))
	}
	for _, r := range completed {
		if said[r.ID] != 1 {
			fault("the conversation has %d last words of task %s", said[r.ID], r.ID)
		}
	}
}

// checkSilence: of a call that nobody answered for in time the model is told that it expired.
func (w *world) checkSilence(ctx context.Context, r *task.Record, fault func(string, ...any)) {
	if len(w.scenario.silent) == 0 {
		return
	}
	rows := map[string][]byte{}
	for row, err := range w.inner.Journal(ctx, r.Key, task.AgentRows) {
		if err != nil {
			fault("journal: %v", err)
		}
		rows[strings.TrimPrefix(row.Name, task.AgentRows)] = row.Value
	}
	for name, value := range rows {
		id, ok := strings.CutPrefix(name, agent.CallRows)
		var call struct{ Tool string }
		var result struct{ Code string }
		if !ok || json.Unmarshal(value, &call) != nil || !w.scenario.silent[call.Tool] && !w.caller.refused[id] {
			continue
		}
		if w.sent.count[id] > 0 {
			fault("call %s of %s expired and went out", id, call.Tool)
		}
		if json.Unmarshal(rows["result/"+id], &result); result.Code != "tool.expired" {
			fault("nobody answered for %s, and it came to %q", call.Tool, result.Code)
		}
	}
}
