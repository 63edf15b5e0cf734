package dynamodb_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

var (
	start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	alice = task.Scope{Tenant: "acme", Owner: "alice"}
)

const lease = 30 * time.Second

// bench is a table of a test's own, and the calls that were made on it.
type bench struct {
	*counter
	client *sdk.Client
	table  string
	store  *dynamodb.Store
	now    time.Time // of the store
}

func newBench(t testing.TB) *bench {
	b := &bench{client: sdk.NewFromConfig(config(t)), now: start}
	b.table = newTable(t, b.client)
	b.counter = &counter{Client: strict{b.client, t}}
	b.store = dynamodb.New(b.counter, b.table, dynamodb.Options{Now: func() time.Time { return b.now }})
	return b
}

// story leads a task through its states by the rules, and knows all that was written.
type story struct {
	t      testing.TB
	s      task.Store
	rec    *task.Record
	events []task.Event
	rows   map[string]string
	now    time.Time
}

// accepted is a task that is not created yet.
func accepted(t testing.TB, s task.Store, id, words string) *story {
	st := &story{t: t, s: s, rows: map[string]string{}, now: start}
	st.rec, st.events = task.Accept(task.Acceptance{
		Key: task.Key{Scope: alice, ID: id}, ContextID: "ctx", Born: task.NewID(), At: st.now,
		Message: message("m-"+id, words),
	})
	return st
}

// created is a task just created.
func created(t testing.TB, s task.Store, id string) *story {
	return accepted(t, s, id, "Do it.").create()
}

func message(id, words string) a2a.Message {
	return a2a.Message{MessageID: id, Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text(words)}}}
}

// said is an event of about n bytes.
func said(n int) task.Event {
	m := message("", strings.Repeat("w", n))
	return task.Event{Message: &m}
}

func (s *story) create() *story {
	s.t.Helper()
	if err := s.s.Create(s.t.Context(), s.rec, s.events); err != nil {
		s.t.Fatalf("Create: %v", err)
	}
	return s
}

func (s *story) write() task.Write {
	s.now = s.now.Add(time.Second)
	return task.Write{ID: task.NewID(), At: s.now}
}

func (s *story) claiming() task.Claiming {
	w := s.write()
	return task.Claiming{Lease: task.Lease{ID: w.ID, Replica: "r1", Until: w.At.Add(lease)}, Now: w.At}
}

func (s *story) claim() *story {
	s.t.Helper()
	if s.rec.Lease != nil {
		s.now = s.rec.Lease.Until.Add(task.ClaimMargin)
	}
	c := s.claiming()
	want := task.Claim(s.rec, c)
	r, err := s.s.Claim(s.t.Context(), s.rec.Key, c, s.rec.Status.State)
	if err != nil {
		s.t.Fatalf("Claim: %v", err)
	}
	s.rec, s.events = r, append(s.events, want.Events...)
	return s
}

func (s *story) step(step task.Step) *story {
	s.t.Helper()
	c, err := task.Advance(s.rec, step, s.write())
	if err != nil {
		s.t.Fatalf("Advance: %v", err)
	}
	return s.commit(c)
}

func (s *story) commit(c *task.Change) *story {
	s.t.Helper()
	r, err := s.s.Commit(s.t.Context(), s.rec.Key, c)
	if err != nil {
		s.t.Fatalf("Commit: %v", err)
	}
	diff(s.t, "committed", c.Apply(s.rec), r)
	s.rec, s.events = r, append(s.events, c.Events...)
	for _, row := range c.Rows {
		s.rows[row.Name] = string(row.Value)
	}
	return s
}

// finishing completes the task with a turn of a conversation that is at a version.
func (s *story) finishing(version uint64, turn ...a2a.Message) *task.Change {
	s.t.Helper()
	c, err := task.Finish(s.rec, task.Ending{State: a2a.TaskStateCompleted}, task.Step{},
		&task.Turn{ContextID: s.rec.ContextID, Version: version, Messages: turn}, s.write())
	if err != nil {
		s.t.Fatalf("Finish: %v", err)
	}
	return c
}

// check compares all that is kept of the task with what was written.
func (s *story) check() *story {
	s.t.Helper()
	for _, after := range []uint64{0, s.rec.Events - 1} {
		r, events, err := s.s.Read(s.t.Context(), s.rec.Key, after)
		if err != nil {
			s.t.Fatalf("Read above %d: %v", after, err)
		}
		diff(s.t, "record", s.rec, r)
		diff(s.t, "events", s.events[after:], events)
	}
	rows := map[string]string{}
	for r, err := range s.s.Journal(s.t.Context(), s.rec.Key, "") {
		if err != nil {
			s.t.Fatalf("Journal: %v", err)
		}
		rows[r.Name] = string(r.Value)
	}
	diff(s.t, "rows", s.rows, rows)
	return s
}

// diff fails unless got equals want; nil and empty are one.
func diff[T any](t testing.TB, what string, want, got T) {
	t.Helper()
	if reflect.DeepEqual(want, got) { // much faster
		return
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Fatalf("%s (-want +got):\n%.4000s", what, d)
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
