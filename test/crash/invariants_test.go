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
	faults = append(faults, w.faults...)
	if w.key.ID == "" {
		return append(faults, "the message was never accepted")
	}
	r, events, err := w.inner.Read(ctx, w.key, 0)
	if err != nil {
		return append(faults, "read: "+err.Error())
	}
	switch state := r.Status.State; {
	case state == a2a.TaskStateCompleted:
	case state == a2a.TaskStateCanceled && w.scenario.cancelAt > 0:
	default:
		fault("ended %s: %v", state, r.Status.Message)
	}
	if r.Lease != nil || !r.Wake.IsZero() || len(r.Pending) > 0 {
		fault("ended with lease %v, wake %v, %d pending", r.Lease, r.Wake, len(r.Pending))
	}
	w.checkEvents(r, events, fault)
	w.checkCalls(ctx, r, fault)
	w.checkSilence(ctx, fault)
	w.checkConversation(ctx, r, fault)
	return faults
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
	if len(w.answered) != len(r.Seen) {
		fault("%d answers were accepted, %d are recorded", len(w.answered), len(r.Seen))
	}
}

// checkCalls: a write goes out no more often than a person consented to, an approved one does,
// a denied one never (INT-13, INT-14, R-32).
func (w *world) checkCalls(ctx context.Context, r *task.Record, fault func(string, ...any)) {
	consents, last := map[string]int{}, map[string]interaction.Answer{}
	for row, err := range w.inner.Journal(ctx, w.key, task.AnswerRows) {
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
	for _, id := range w.free(ctx, fault) {
		consents[id]++
	}
	canceled := r.Status.State == a2a.TaskStateCanceled
	once := w.scenario.class != task.ClassIdempotent && w.scenario.class != task.ClassRead
	for id, n := range w.sent.count {
		if once && n > consents[id] || n > 0 && consents[id] == 0 {
			fault("call %s went out %d times with %d consents", id, n, consents[id])
		}
	}
	for id, a := range last {
		if a.Approved && w.sent.count[id] == 0 && !canceled {
			fault("call %s was approved and never went out", id)
		}
	}
}

// checkConversation: a completed task adds its turn once.
func (w *world) checkConversation(ctx context.Context, r *task.Record, fault func(string, ...any)) {
	c, err := w.inner.Conversation(ctx, w.key.Scope, r.ContextID, task.Latest)
	want := uint64(1)
	if r.Status.State != a2a.TaskStateCompleted {
		want = 0
	}
	if w.scenario.rival {
		want++
	}
	if err != nil || c.Version != want {
		fault("conversation has %d turns, want %d (%v)", c.Version, want, err)
	}
}

// checkSilence: of a call that nobody answered for the model is told that it expired.
func (w *world) checkSilence(ctx context.Context, fault func(string, ...any)) {
	if len(w.scenario.silent) == 0 {
		return
	}
	rows := map[string][]byte{}
	for row, err := range w.inner.Journal(ctx, w.key, task.AgentRows) {
		if err != nil {
			fault("journal: %v", err)
		}
		rows[strings.TrimPrefix(row.Name, task.AgentRows)] = row.Value
	}
	for name, value := range rows {
		id, ok := strings.CutPrefix(name, agent.CallRows)
		var call struct{ Tool string }
		var result struct{ Code string }
		if !ok || json.Unmarshal(value, &call) != nil || !w.scenario.silent[call.Tool] {
			continue
		}
		if json.Unmarshal(rows["result/"+id], &result); result.Code != "tool.expired" {
			fault("nobody answered for %s, and it came to %q", call.Tool, result.Code)
		}
	}
}
