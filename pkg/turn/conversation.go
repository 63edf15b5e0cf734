package turn

import (
	"slices"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// turn is what the completed run adds to its context's conversation: what the caller said,
// and the agent's last word; of an agent that has none, the text of its artifacts.
func (r *run) turn(last *a2a.Message, s task.Step) *task.Turn {
	rec := r.current()
	t := &task.Turn{ContextID: rec.ContextID}
	if v := r.unpinned(); v != nil {
		t.Version = *v
	} else if v := rec.Run.Conversation; v != nil {
		t.Version = *v
	}
	events := r.told()
	for _, e := range events {
		if e.Message != nil && e.Message.Role == a2a.RoleUser {
			t.Messages = append(t.Messages, *e.Message)
		}
	}
	if last == nil {
		last = artifactText(task.Snapshot(rec, slices.Concat(events, s.Events)))
	}
	if last != nil {
		m := *last
		m.Role, m.TaskID, m.ContextID = a2a.RoleAgent, rec.ID, rec.ContextID
		if m.MessageID == "" {
			m.MessageID = task.NewID()
		}
		t.Messages = append(t.Messages, m)
	}
	return t
}

// told is every event of the task so far.
func (r *run) told() []task.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.events
}

// artifactText is the text of a task's artifacts, as far as a status message would hold it.
func artifactText(t a2a.Task) *a2a.Message {
	var text []string
	size := 0
	for _, a := range t.Artifacts {
		for _, p := range a.Parts {
			if s, ok := p.Content.(a2a.Text); ok && size+len(s) <= task.MaxStatus {
				text = append(text, string(s))
				size += len(s)
			}
		}
	}
	if text == nil {
		return nil
	}
	return new(agent.Text(strings.Join(text, "")))
}
