package task_test

import (
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Create as design §4 has it; STORE-01, STORE-13, R-45, R-59.
func TestAccept(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 4, 6, 6, 7, 1_999_999, time.FixedZone("CET", 3600))
	ms := time.Date(2026, 3, 4, 5, 6, 7, 1_000_000, time.UTC)
	key := task.Key{Scope: task.Scope{Tenant: "acme", Owner: "alice"}, ID: "t1.x"}
	alice := access.Principal{Tenant: "acme", Subject: "alice", Scopes: []string{"send"}}
	m := text("m-first", "Do it.")
	m.TaskID, m.ContextID = "theirs", "theirs"

	got, events := task.Accept(task.Acceptance{
		Key: key, ContextID: "ctx", Message: m, Principal: alice,
		OutputModes: []string{"text/plain"}, Born: "b1", Shown: true, At: at,
	})

	want := &task.Record{
		Key: key, ContextID: "ctx", Born: "b1", Request: a2a.ContentHash(m),
		Status:   statusOf(a2a.TaskStateSubmitted, ms),
		Revision: 1, Fence: uint64(ms.UnixMilli()),
		Run:    task.Run{Kind: task.RunInvoke, Principal: alice, OutputModes: []string{"text/plain"}},
		Events: 2, LastStatus: 2,
		Wake: ms.Add(60 * time.Second), Shown: true, CreatedAt: ms, UpdatedAt: ms,
	}
	if d := diff(want, got); d != "" {
		t.Errorf("the record (-want +got):\n%s", d)
	}
	kept := text("m-first", "Do it.")
	kept.TaskID, kept.ContextID = "t1.x", "ctx"
	submitted := statusOf(a2a.TaskStateSubmitted, ms)
	if d := diff([]task.Event{{Seq: 1, At: ms, Message: &kept}, {Seq: 2, At: ms, Status: &submitted}}, events); d != "" {
		t.Errorf("the events (-want +got):\n%s", d)
	}
	if m.TaskID != "theirs" || m.ContextID != "theirs" {
		t.Errorf("the caller's message was changed: %+v", m)
	}
	if got.Status.Timestamp.Location() != time.UTC {
		t.Errorf("times are kept in %v, want UTC", got.Status.Timestamp.Location())
	}
}

// A refused create: R-11, protocol counterexample 5.
func TestCreated(t *testing.T) {
	t.Parallel()
	made := &task.Record{Born: "mine", Request: "hash"}
	tests := map[string]struct {
		met  task.Record
		code int
	}{
		"the very one":                   {task.Record{Born: "mine", Request: "hash"}, 0},
		"the very one, whatever came":    {task.Record{Born: "mine", Request: "hash", Revision: 9, Fence: 7}, 0},
		"another call, same content":     {task.Record{Born: "theirs", Request: "hash"}, 0},
		"another call, another content":  {task.Record{Born: "theirs", Request: "other"}, a2a.CodeInvalidParams},
		"an earlier task, other content": {task.Record{Born: "", Request: ""}, a2a.CodeInvalidParams},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := task.Created(made, &test.met)
			if test.code == 0 {
				if err != nil {
					t.Errorf("got %v, want success", err)
				}
				return
			}
			if e := wantRefused(t, err, test.code); len(e.Violations) != 1 || e.Violations[0].Field != "Idempotency-Key" {
				t.Errorf("got violations %v, want one of Idempotency-Key", e.Violations)
			}
		})
	}
}

// What a store writes and reads back is the same record.
func TestRecord_JSON(t *testing.T) {
	t.Parallel()
	for name, situation := range situations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := situation(t).startPushes().rec
			if d := diff(r, copyOf(t, r)); d != "" {
				t.Errorf("(-written +read):\n%s", d)
			}
		})
	}
}
