package memory_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
)

var (
	start = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	alice = task.Scope{Tenant: "acme", Owner: "alice"}
)

func key(id string) task.Key { return task.Key{Scope: alice, ID: id} }

func create(t *testing.T, s task.Store, id, contextID string) error {
	t.Helper()
	r, events := task.Accept(task.Acceptance{
		Key:       key(id),
		ContextID: contextID,
		Message:   a2a.Message{MessageID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("Do it.")}}},
		Born:      task.NewID(),
		At:        start,
	})
	return s.Create(t.Context(), r, events)
}

func mustCreate(t *testing.T, s task.Store, ids ...string) {
	t.Helper()
	for _, id := range ids {
		if err := create(t, s, id, id); err != nil {
			t.Fatalf("Create %s: %v", id, err)
		}
	}
}

// commit makes a change of a task as it stands.
func commit(t *testing.T, s task.Store, id string, rule func(*task.Record, task.Write) (*task.Change, error)) *task.Record {
	t.Helper()
	r, _, err := s.Read(t.Context(), key(id), task.Latest)
	if err != nil {
		t.Fatalf("Read %s: %v", id, err)
	}
	c, err := rule(r, task.Write{ID: task.NewID(), At: start})
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	if r, err = s.Commit(t.Context(), r.Key, c); err != nil {
		t.Fatalf("Commit %s: %v", id, err)
	}
	return r
}

func startPushes(r *task.Record, w task.Write) (*task.Change, error) {
	return task.StartPushes(r, w), nil
}

// complete claims and completes a task, adding a turn to its context's conversation.
func complete(t *testing.T, s task.Store, id string, version uint64) {
	t.Helper()
	claiming := task.Claiming{Lease: task.Lease{ID: task.NewID(), Until: start.Add(time.Minute)}, Now: start}
	if _, err := s.Claim(t.Context(), key(id), claiming, ""); err != nil {
		t.Fatalf("Claim %s: %v", id, err)
	}
	commit(t, s, id, func(r *task.Record, w task.Write) (*task.Change, error) {
		turn := &task.Turn{ContextID: r.ContextID, Version: version}
		return task.Finish(r, task.Ending{State: a2a.TaskStateCompleted}, task.Step{}, turn, w)
	})
}

// has checks which of the tasks the store still keeps, by key and in lists.
func has(t *testing.T, s task.Store, want map[string]bool) {
	t.Helper()
	page, err := s.List(t.Context(), alice, task.Query{Limit: 100})
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	listed := map[string]bool{}
	for _, l := range page.Tasks {
		listed[l.Key.ID] = true
	}
	for id, want := range want {
		_, _, err := s.Read(t.Context(), key(id), 0)
		if got := err == nil; got != want || listed[id] != want {
			t.Errorf("%s: got kept %t, listed %t, want %t", id, got, listed[id], want)
		}
	}
}

// R-67, STORE-10: the finished task written least recently goes first.
func TestBoundDropsFinishedTasksLeastRecentlyWrittenFirst(t *testing.T) {
	t.Parallel()
	s := memory.New(memory.Options{MaxTasks: 4})
	mustCreate(t, s, "waits", "first", "second", "third")
	for _, id := range []string{"first", "second", "third"} {
		commit(t, s, id, task.Cancel)
	}
	r := commit(t, s, "first", startPushes) // written again
	mustCreate(t, s, "new")
	has(t, s, map[string]bool{"waits": true, "first": true, "second": false, "third": true, "new": true})
	if err := s.Mark(t.Context(), r.Key, r.Revision, r.LastStatus); err != nil {
		t.Fatalf("Mark: %v", err)
	}
	mustCreate(t, s, "newer")
	has(t, s, map[string]bool{"waits": true, "first": true, "third": false, "newer": true})
	mustCreate(t, s, "newest")
	has(t, s, map[string]bool{"waits": true, "first": false, "new": true, "newer": true, "newest": true})
}

// an unfinished task is never dropped, nor one that still owes a push.
func TestBoundRefusesWhereAllAreUnfinished(t *testing.T) {
	t.Parallel()
	s := memory.New(memory.Options{MaxTasks: 2})
	mustCreate(t, s, "waits", "owes")
	commit(t, s, "owes", startPushes)
	r := commit(t, s, "owes", task.Cancel)
	if err := create(t, s, "new", "ctx"); !errors.Is(err, task.ErrFull) {
		t.Fatalf("Create: got %v, want ErrFull", err)
	}
	var refused *task.Refused
	if err := create(t, s, "waits", "ctx"); !errors.As(err, &refused) {
		t.Errorf("Create of a task that is there: got %v, want it refused", err)
	}
	has(t, s, map[string]bool{"waits": true, "owes": true, "new": false})
	if err := s.Mark(t.Context(), r.Key, r.Revision, r.LastStatus); err != nil {
		t.Fatalf("Mark: %v", err)
	}
	mustCreate(t, s, "new")
	has(t, s, map[string]bool{"waits": true, "owes": false, "new": true})
}

// STORE-10: conversations are bounded likewise.
func TestBoundDropsConversationsLeastRecentlyWrittenFirst(t *testing.T) {
	t.Parallel()
	s := memory.New(memory.Options{MaxTasks: 2})
	for _, turn := range []struct {
		contextID string
		version   uint64
	}{{"a", 0}, {"b", 0}, {"a", 1}, {"c", 0}} {
		id := fmt.Sprint(turn.contextID, turn.version)
		if err := create(t, s, id, turn.contextID); err != nil {
			t.Fatalf("Create: %v", err)
		}
		complete(t, s, id, turn.version)
	}
	for contextID, want := range map[string]uint64{"a": 2, "b": 0, "c": 1} {
		got, err := s.Conversation(t.Context(), alice, contextID, task.Latest)
		if err != nil || got.Version != want {
			t.Errorf("conversation %s: got version %d, %v, want %d", contextID, got.Version, err, want)
		}
	}
}

// SRV-07.
func TestDefaultBound(t *testing.T) {
	t.Parallel()
	s := memory.New(memory.Options{})
	for i := range memory.DefaultMaxTasks {
		if err := create(t, s, fmt.Sprint(i), "ctx"); err != nil {
			t.Fatalf("Create %d: %v", i, err)
		}
	}
	if err := create(t, s, "one more", "ctx"); !errors.Is(err, task.ErrFull) {
		t.Errorf("task 10 001: got %v, want ErrFull", err)
	}
}
