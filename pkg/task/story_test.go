package task_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

var start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

const lease = 30 * time.Second

// story tells a task's life through the rules, so that every record of these tests is one that can
// come about. Each step takes a second.
type story struct {
	t      testing.TB
	rec    *task.Record
	events []task.Event
	rows   []task.Row
	now    time.Time
	writes int
	lease  string // id of the last one
}

// accepted begins the story of alice's task.
func accepted(t testing.TB) *story {
	t.Helper()
	r, events := task.Accept(task.Acceptance{
		Key:       task.Key{Scope: task.Scope{Tenant: "acme", Owner: "alice"}, ID: "t1.story"},
		ContextID: "ctx",
		Message:   text("m-first", "Do it."),
		Principal: access.Principal{Tenant: "acme", Subject: "alice"},
		Born:      "born",
		At:        start,
	})
	return &story{t: t, rec: r, events: events, now: start}
}

// working is a story up to its first claim.
func working(t testing.TB) *story { t.Helper(); return accepted(t).claim() }

func (s *story) write() task.Write {
	s.writes++
	s.now = s.now.Add(time.Second)
	return task.Write{ID: fmt.Sprintf("w%d", s.writes), At: s.now}
}

// took goes on with a change that must have been allowed.
func (s *story) took(c *task.Change, err error) *story {
	s.t.Helper()
	if err != nil || c == nil {
		s.t.Fatalf("in state %s: got change %v, error %v, want a change", s.rec.Status.State, c, err)
	}
	if !c.Guard.Admits(s.rec) {
		s.t.Fatalf("the guard %+v does not admit its own record", c.Guard)
	}
	s.rec = c.Apply(s.rec)
	s.events = append(s.events, c.Events...)
	s.rows = append(s.rows, c.Rows...)
	return s
}

func (s *story) later(d time.Duration) *story { s.now = s.now.Add(d); return s }

func (s *story) claim() *story {
	s.t.Helper()
	w := s.write()
	s.lease = w.ID
	return s.took(task.Claim(s.rec, claiming(w.ID, w.At)), nil)
}

func (s *story) step(step task.Step) *story {
	s.t.Helper()
	return s.took(task.Advance(s.rec, step, s.write()))
}

func (s *story) plan(effects ...task.Effect) *story {
	s.t.Helper()
	return s.step(task.Step{Plan: effects})
}

func (s *story) intent(id string) *story {
	s.t.Helper()
	return s.took(task.Intent(s.rec, id, s.write()))
}

func (s *story) pause(asks ...interaction.Interaction) *story {
	s.t.Helper()
	return s.took(task.Pause(s.rec, asks, task.Step{}, s.write()))
}

func (s *story) yield() *story {
	s.t.Helper()
	return s.took(task.Yield(s.rec, task.Step{}, s.write()))
}

func (s *story) finish(state a2a.TaskState) *story {
	s.t.Helper()
	return s.took(task.Finish(s.rec, task.Ending{State: state}, task.Step{}, nil, s.write()))
}

func (s *story) takeover() *story {
	s.t.Helper()
	return s.took(task.Takeover(s.rec, s.write()), nil)
}

func (s *story) answer(m a2a.Message) *story {
	s.t.Helper()
	return s.took(task.Answer(s.rec, answering(s.t, m), s.write()))
}

func (s *story) cancel() *story {
	s.t.Helper()
	return s.took(task.Cancel(s.rec, s.write()))
}

func (s *story) startPushes() *story {
	s.t.Helper()
	return s.took(task.StartPushes(s.rec, s.write()), nil)
}

func claiming(id string, now time.Time) task.Claiming {
	return task.Claiming{Lease: task.Lease{ID: id, Replica: "replica", Until: now.Add(lease)}, Now: now}
}

func effect(id string, class task.EffectClass, state task.EffectState) task.Effect {
	return task.Effect{ID: id, Class: class, State: state, Server: "github", Tool: "merge"}
}

func approval(id string) interaction.Interaction {
	return interaction.NewApproval(id, "github", "merge", "")
}

func question(id string) interaction.Interaction { return interaction.NewQuestion(id, "Which one?") }

// text is a caller's message of words alone.
func text(id, words string) a2a.Message {
	return a2a.Message{MessageID: id, Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text(words)}}}
}

// agentText is an agent's message of words alone.
func agentText(words string) *a2a.Message {
	return &a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{{Content: a2a.Text(words)}}}
}

// reply is a caller's answer to an interaction: content is what stands beside its id, as JSON.
func reply(id, interactionID, content string) a2a.Message {
	m := text(id, "")
	m.Extensions = []string{interaction.URI}
	m.Metadata = a2a.Metadata{interaction.URI: json.RawMessage(`{"interactionId":"` + interactionID + `",` + content + `}`)}
	return m
}

func answering(t testing.TB, m a2a.Message) task.Answering {
	t.Helper()
	r, err := interaction.ReadReply(m)
	if err != nil {
		t.Fatalf("ReadReply: %v", err)
	}
	return task.Answering{Message: m, Reply: r, Principal: access.Principal{Tenant: "acme", Subject: "alice"}}
}

func copyOf(t testing.TB, r *task.Record) *task.Record {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("write the record: %v", err)
	}
	var c task.Record
	if err := json.Unmarshal(b, &c); err != nil {
		t.Fatalf("read the record: %v", err)
	}
	return &c
}

func diff(want, got any) string { return cmp.Diff(want, got, cmpopts.EquateEmpty()) }

// wantChanged checks that a write made, of before, the record that edit says, and nothing else but
// what every write does: revision and the ring of write ids.
func wantChanged(t *testing.T, before, after *task.Record, w task.Write, edit func(want *task.Record)) {
	t.Helper()
	want := copyOf(t, before)
	want.Revision++
	want.UpdatedAt = w.At
	want.Writes = append(want.Writes, w.ID)
	edit(want)
	if d := diff(want, after); d != "" {
		t.Errorf("the record after the write (-want +got):\n%s", d)
	}
}

// wantRefused checks an A2A error's code, and returns it.
func wantRefused(t *testing.T, err error, code int) *a2a.Error {
	t.Helper()
	var e *a2a.Error
	if !errors.As(err, &e) || e.Code != code {
		t.Fatalf("got error %v, want code %d", err, code)
	}
	return e
}

// wantAgentError checks that a rule blames the agent.
func wantAgentError(t *testing.T, c *task.Change, err error) {
	t.Helper()
	var e *task.AgentError
	if !errors.As(err, &e) || e.Reason == "" || c != nil {
		t.Errorf("got change %v, error %v, want none and an AgentError", c, err)
	}
}

// statusOf is a status without a message.
func statusOf(state a2a.TaskState, at time.Time) a2a.TaskStatus {
	return a2a.TaskStatus{State: state, Timestamp: at}
}
