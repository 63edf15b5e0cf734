package harness_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// held reads the call that a task's interaction is about.
func (w *world) held(who access.Principal, taskID, interactionID string) (server.HeldCall, *a2a.Error) {
	w.Helper()
	params := fmt.Sprintf(`{"taskId":%q,"interactionId":%q}`, taskID, interactionID)
	out := w.server.Call(w.Context(), server.GetHeldCall, json.RawMessage(params), server.CallContext{Principal: who})
	call, _ := out.Result.(server.HeldCall)
	return call, out.Err
}

// who may approve a call may read it as it is frozen, and the log has who did, not what. It
// is what goes out.
func TestHeldCall(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls(`hub__make {"title":"secret plan"}`), text("Done."))
	open := w.ask("Go")
	id := asks(open).InteractionID
	got, refused := w.held(alice, open.ID, id)
	if refused != nil || got.Interaction.ID != id || got.Call.Server != "hub" || got.Call.Tool != "make" || string(got.Call.Arguments) != `{"title":"secret plan"}` {
		t.Fatalf("got %+v, %v", got, refused)
	}
	for _, want := range []string{"a held call was read", "subject=alice", "task=" + open.ID, "interaction=" + id, "hash=" + got.Call.Hash} {
		if !strings.Contains(w.log.String(), want) {
			t.Errorf("the log has no %s: %s", want, w.log.String())
		}
	}
	if strings.Contains(w.log.String(), "secret plan") {
		t.Errorf("the log has the arguments: %s", w.log.String())
	}
	for _, tt := range []struct {
		who      access.Principal
		task, id string
		code     int
	}{
		{access.Principal{Subject: "bob"}, open.ID, id, a2a.CodeTaskNotFound},
		{access.Principal{Subject: "alice", Tenant: "other"}, open.ID, id, a2a.CodeTaskNotFound},
		{alice, "t1.none", id, a2a.CodeTaskNotFound},
		{alice, open.ID, id + ".2", a2a.CodeUnsupportedOperation},
		{alice, open.ID, "", a2a.CodeInvalidParams},
		{alice, "", id, a2a.CodeInvalidParams},
	} {
		if got, err := w.held(tt.who, tt.task, tt.id); err == nil || err.Code != tt.code || got.Call.Arguments != nil {
			t.Errorf("%+v: got %+v, %v", tt, got, err)
		}
	}
	spelt := w.server.Call(w.Context(), server.GetHeldCall, json.RawMessage(fmt.Sprintf(`{"task_id":%q,"interaction_id":%q}`, open.ID, id)), server.CallContext{Principal: alice})
	if call, ok := spelt.Result.(server.HeldCall); !ok || call.Call.Hash != got.Call.Hash {
		t.Errorf("in the other spelling: got %+v, %v", spelt.Result, spelt.Err)
	}
	if out := w.server.Call(w.Context(), server.GetHeldCall, nil, server.CallContext{Principal: alice}); out.Err == nil || out.Err.Code != a2a.CodeInvalidParams || len(out.Err.Violations) != 2 {
		t.Errorf("without params: got %+v", out.Err)
	}
	w.want(w.answer(open, `"approved":true`), completed)
	if sent := string(w.tools.made[0].Arguments); sent != string(got.Call.Arguments) {
		t.Errorf("sent %s, shown %s", sent, got.Call.Arguments)
	}
	if _, err := w.held(alice, open.ID, id); err == nil || err.Code != a2a.CodeUnsupportedOperation {
		t.Errorf("after the answer: got %v", err)
	}
}

// a question has no call, and a call that was tampered with is not shown.
func TestHeldCallThatIsNone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls(`builtin__ask_user {"question":"?"}`), text("Done."))
	open := w.ask("Go")
	if _, err := w.held(alice, open.ID, asks(open).InteractionID); err == nil || err.Code != a2a.CodeUnsupportedOperation {
		t.Errorf("a question: got %v", err)
	}
	w = newWorld(t, "", calls(`hub__make {"title":"x"}`), text("Done."))
	open = w.ask("Go")
	id := asks(open).InteractionID
	r := w.record(open)
	c := task.StartPushes(r, task.Write{ID: "w", At: r.UpdatedAt})
	c.Rows = []task.Row{{Name: task.AgentRows + agent.CallRows + id, Value: []byte(`{"server":"hub","tool":"make","arguments":{"title":"y"},"hash":"h"}`)}}
	if _, err := w.store.Commit(t.Context(), r.Key, c); err != nil {
		t.Fatal(err)
	}
	if got, err := w.held(alice, open.ID, id); err == nil || err.Code != a2a.CodeInternal || got.Call.Arguments != nil {
		t.Errorf("tampered with: got %+v, %v", got, err)
	}
}
