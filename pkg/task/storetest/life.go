package storetest

import (
	"bytes"
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

var (
	start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	alice = task.Scope{Tenant: "acme", Owner: "alice"}
)

const leaseTime = 30 * time.Second

// life is a task that is led through its states by the rules, each write going to the store.
type life struct {
	t      testing.TB
	store  task.Store
	rec    *task.Record // as the store last returned it
	events []task.Event // all that were written
	now    time.Time
}

// newLife accepts a message without creating its task yet.
func newLife(t testing.TB, s task.Store, scope task.Scope, id, contextID string) *life {
	return accept(t, s, start, task.Acceptance{
		Key: task.Key{Scope: scope, ID: id}, ContextID: contextID, Message: text("m-"+id, "Do it."),
	})
}

func accept(t testing.TB, s task.Store, at time.Time, a task.Acceptance) *life {
	a.Principal = access.Principal{Tenant: a.Key.Tenant, Subject: a.Key.Owner, Scopes: []string{"tasks"}}
	a.Born, a.At = task.NewID(), at
	r, events := task.Accept(a)
	return &life{t: t, store: s, rec: r, events: events, now: at}
}

// begin creates a task of alice's.
func begin(t testing.TB, s task.Store, id string) *life {
	t.Helper()
	return newLife(t, s, alice, id, "ctx").create()
}

func text(id, words string) a2a.Message {
	return a2a.Message{MessageID: id, Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text(words)}}}
}

// words is the text of a message.
func words(m a2a.Message) string {
	text, _ := m.Parts[0].Content.(a2a.Text)
	return string(text)
}

func said(words string) task.Event {
	m := a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{{Content: a2a.Text(words)}}}
	return task.Event{Message: &m}
}

// write is the next write's id and time: each takes a second.
func (l *life) write() task.Write {
	l.now = l.now.Add(time.Second)
	return task.Write{ID: task.NewID(), At: l.now}
}

func (l *life) create() *life {
	l.t.Helper()
	if err := l.store.Create(l.t.Context(), l.rec, l.events); err != nil {
		l.t.Fatalf("Create: %v", err)
	}
	return l
}

func (l *life) claiming() task.Claiming {
	w := l.write()
	return task.Claiming{Lease: task.Lease{ID: w.ID, Replica: "r1", Until: w.At.Add(leaseTime)}, Now: w.At}
}

func (l *life) claim() *life {
	l.t.Helper()
	c := l.claiming()
	want := task.Claim(l.rec, c)
	next, err := l.store.Claim(l.t.Context(), l.rec.Key, c, l.rec.Status.State)
	if err != nil {
		l.t.Fatalf("Claim: %v", err)
	}
	l.rec = next
	l.events = append(l.events, want.Events...)
	return l
}

// takeover claims a working task after its lease lapsed.
func (l *life) takeover() *life {
	l.t.Helper()
	l.now = l.now.Add(2 * leaseTime)
	return l.claim()
}

// commit applies a change that the rules must have allowed and the store must take.
func (l *life) commit(c *task.Change, err error) *life {
	l.t.Helper()
	if err != nil || c == nil {
		l.t.Fatalf("in state %s: got change %v, error %v, want a change", l.rec.Status.State, c, err)
	}
	next, err := l.store.Commit(l.t.Context(), l.rec.Key, c)
	if err != nil {
		l.t.Fatalf("Commit: %v", err)
	}
	l.rec = next
	l.events = append(l.events, c.Events...)
	return l
}

func (l *life) step(s task.Step) *life {
	l.t.Helper()
	return l.commit(task.Advance(l.rec, s, l.write()))
}

// ask pauses with a question.
func (l *life) ask(id string) *life {
	l.t.Helper()
	q := interaction.NewQuestion(id, "Which one?")
	return l.commit(task.Pause(l.rec, []interaction.Interaction{q}, task.Step{}, l.write()))
}

func (l *life) answer(messageID string) *life {
	l.t.Helper()
	return l.commit(task.Answer(l.rec, l.answering(messageID), l.write()))
}

func (l *life) answering(messageID string) task.Answering {
	return task.Answering{Message: text(messageID, "The blue one."), Principal: access.Principal{Subject: "alice"}}
}

func (l *life) finish() *life {
	l.t.Helper()
	return l.commit(l.finishing())
}

func (l *life) finishing() (*task.Change, error) {
	return task.Finish(l.rec, task.Ending{State: a2a.TaskStateFailed}, task.Step{}, nil, l.write())
}

// complete is the change that completes the task, with a turn that says what it did.
func (l *life) complete(version uint64, words string) (*task.Change, error) {
	turn := &task.Turn{ContextID: l.rec.ContextID, Version: version, Messages: []a2a.Message{
		text("q-"+l.rec.ID, words), text("a-"+l.rec.ID, words+"!"),
	}}
	return task.Finish(l.rec, task.Ending{State: a2a.TaskStateCompleted}, task.Step{}, turn, l.write())
}

func (l *life) cancel() *life {
	l.t.Helper()
	return l.commit(task.Cancel(l.rec, l.write()))
}

func (l *life) startPushes() *life {
	l.t.Helper()
	return l.commit(task.StartPushes(l.rec, l.write()), nil)
}

// check compares what the store has with what was written.
func (l *life) check() {
	l.t.Helper()
	r, events, err := l.store.Read(l.t.Context(), l.rec.Key, 0)
	if err != nil {
		l.t.Fatalf("Read: %v", err)
	}
	diff(l.t, "record", l.rec, r)
	diff(l.t, "events", l.events, events)
}

// rawBytes compares files at once, not byte by byte.
var rawBytes = cmp.Comparer(func(a, b a2a.Raw) bool { return bytes.Equal(a, b) })

// diff fails unless got equals want; nil and empty are one.
func diff[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty(), rawBytes); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

// refused fails unless err is a refusal by a record that equals met.
func refused(t testing.TB, what string, err error, met *task.Record) {
	t.Helper()
	var r *task.Refused
	if !errors.As(err, &r) {
		t.Fatalf("%s: got error %v, want it refused", what, err)
	}
	diff(t, what+": record of the refusal", met, r.Current)
}

// rows are all of a task's journal under prefix, as name=value.
func rows(t testing.TB, s task.Store, k task.Key, prefix string) []string {
	t.Helper()
	var all []string
	for row, err := range s.Journal(t.Context(), k, prefix) {
		if err != nil {
			t.Fatalf("Journal: %v", err)
		}
		all = append(all, fmt.Sprintf("%s=%s", row.Name, row.Value))
	}
	return all
}

func transcript(t testing.TB, s task.Store, scope task.Scope, contextID string, version uint64) task.Transcript {
	t.Helper()
	got, err := s.Conversation(t.Context(), scope, contextID, version)
	if err != nil {
		t.Fatalf("Conversation: %v", err)
	}
	return got
}
