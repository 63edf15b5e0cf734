package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// SPEC-06, R-35: history as far as asked for, the newest messages.
func TestHistoryLength(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		done := s.send(alice, "say one; say two; hello")
		for _, tt := range []struct {
			params string
			want   int
		}{
			{`{"id":"` + done.ID + `"}`, 0},
			{`{"id":"` + done.ID + `","historyLength":0}`, 0},
			{`{"id":"` + done.ID + `","historyLength":1}`, 1},
			{`{"id":"` + done.ID + `","historyLength":100}`, 3},
		} {
			got := s.task(alice, "GetTask", tt.params)
			if len(got.History) != tt.want {
				t.Errorf("%s: got %d messages, want %d", tt.params, len(got.History), tt.want)
			}
			if tt.want == 0 && strings.Contains(asJSON(got), "history") {
				t.Errorf("%s: got %s, want no history at all", tt.params, asJSON(got))
			}
		}
		if got := s.task(alice, "GetTask", `{"id":"`+done.ID+`","historyLength":1}`).History[0].Parts[0].Content; got != a2a.Text("two") {
			t.Errorf("got %v, want the newest message", got)
		}
		s.refused(alice, "GetTask", `{"id":"`+done.ID+`","historyLength":-1}`, a2a.CodeInvalidParams)
	})
}

// on every operation another's task looks like a missing one.
func TestForeignTaskIsMissing(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *system
		s = newSystem(t, func(o *server.Options) {
			o.Journal = func(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
				return s.store.Journal(ctx, k, prefix)
			}
		})
		mine := s.send(activated, approval)
		var open interaction.Interaction
		if err := json.Unmarshal(mine.Status.Message.Metadata[interaction.URI], &open); err != nil {
			t.Fatal(err)
		}
		held := func(taskID string) string { return `{"taskId":"` + taskID + `","interactionId":"` + open.ID + `"}` }
		call, ok := s.call(alice, server.GetHeldCall, held(mine.ID)).Result.(server.HeldCall) // R-08, of any agent that keeps its calls
		if !ok || call.Call.Server != "github" || call.Call.Tool != "create_pull_request" {
			t.Fatalf("the held call: got %+v", call)
		}
		for method, params := range map[string]string{
			"GetTask":              `{"id":"` + mine.ID + `"}`,
			"CancelTask":           `{"id":"` + mine.ID + `"}`,
			"SubscribeToTask":      `{"id":"` + mine.ID + `"}`,
			"SendMessage":          textParams(mine.ID, "m-2", "x"),
			"SendStreamingMessage": textParams(mine.ID, "m-2", "x"),
			server.GetHeldCall:     held(mine.ID),
		} {
			foreign := s.refused(bob, method, params, a2a.CodeTaskNotFound)
			missing := s.refused(bob, method, strings.ReplaceAll(params, mine.ID, "t1.none"), a2a.CodeTaskNotFound)
			got := strings.ReplaceAll(asJSON(foreign), mine.ID, "t1.none")
			if diff := cmp.Diff(asJSON(missing), got); diff != "" {
				t.Errorf("%s (-missing +foreign):\n%s", method, diff)
			}
		}
		if got := s.call(bob, "ListTasks", `{}`).Result.(a2a.ListTasksResponse); len(got.Tasks) != 0 || got.TotalSize != 0 {
			t.Errorf("got %+v, want nothing listed", got)
		}
		inTenant := alice
		inTenant.Principal.Tenant = "acme"
		s.refused(inTenant, "GetTask", `{"id":"`+mine.ID+`"}`, a2a.CodeTaskNotFound)
	})
}

// cancel is idempotent, ends a working and a paused task, and refuses one that ended.
func TestCancel(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		cancel := func(id string) string { return `{"id":"` + id + `"}` }
		working := s.task(alice, "SendMessage", sendParams("sleep 1h; x", func(r *a2a.SendMessageRequest) { r.Configuration.ReturnImmediately = true }))
		time.Sleep(time.Second)
		for _, wantPokes := range []int64{1, 0} { // rule 7: a cancel pokes, its repeat wrote nothing
			before := s.counts().Sends
			wantState(t, s.task(alice, "CancelTask", cancel(working.ID)), a2a.TaskStateCanceled)
			if got := s.counts().Sends - before; got != wantPokes {
				t.Errorf("got %d pokes, want %d", got, wantPokes)
			}
		}
		paused := s.send(activated, approval)
		wantState(t, s.task(alice, "CancelTask", cancel(paused.ID)), a2a.TaskStateCanceled)
		s.refused(alice, "SendMessage", answerParams(paused, "a", `"approved":true`), a2a.CodeUnsupportedOperation)
		for _, script := range []string{"x", "fail x", "reject x"} {
			s.refused(alice, "CancelTask", cancel(s.send(alice, script).ID), a2a.CodeTaskNotCancelable)
		}
	})
}

// INT-10: the interaction goes out only to a call that activated the extension, or
// whose own message lists it; the text always does.
func TestInteractionsAreHidden(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		paused := s.send(activated, approval+"; ask Why?")
		next := s.task(alice, "SendMessage", answerParams(paused, "a", `"approved":true`))
		if !strings.Contains(asJSON(next), interaction.URI) {
			t.Error("an answer's own call lists the extension, and got nothing of it")
		}
		for method, params := range map[string]string{
			"GetTask":   `{"id":"` + paused.ID + `","historyLength":100}`,
			"ListTasks": `{"historyLength":100}`,
		} {
			shown, hidden := s.call(activated, method, params), s.call(alice, method, params)
			if !strings.Contains(asJSON(shown.Result), interaction.URI) {
				t.Errorf("%s, activated: got %s, want the interaction", method, asJSON(shown.Result))
			}
			if strings.Contains(asJSON(hidden.Result), interaction.URI) {
				t.Errorf("%s, not activated: got %s, want no interaction", method, asJSON(hidden.Result))
			}
			if !strings.Contains(asJSON(hidden.Result), "Approve github / create_pull_request?") {
				t.Errorf("%s, not activated: got %s, want the prompt as text", method, asJSON(hidden.Result))
			}
		}
	})
}

// SPEC-02, SPEC-10: what was activated is told; unknown ones are ignored; a required one is demanded.
func TestExtensions(t *testing.T) {
	t.Parallel()
	const demanded = "urn:example:demanded"
	s := newSystem(t, func(o *server.Options) {
		o.Card.Capabilities.Extensions = append(o.Card.Capabilities.Extensions, a2a.AgentExtension{URI: demanded, Required: true})
	})
	s.refused(activated, "ListTasks", `{}`, a2a.CodeExtensionSupportRequired)
	c := alice
	c.Extensions = []string{"urn:unknown", demanded, interaction.URI}
	if diff := cmp.Diff([]string{interaction.URI, demanded}, s.call(c, "ListTasks", `{}`).Extensions); diff != "" {
		t.Errorf("activated (-want +got):\n%s", diff)
	}
	c.Extensions = []string{demanded}
	own := sendParams("x", func(r *a2a.SendMessageRequest) {
		r.Message.Extensions, r.Configuration.ReturnImmediately = []string{interaction.URI}, true
	})
	if diff := cmp.Diff([]string{interaction.URI, demanded}, s.call(c, "SendMessage", own).Extensions); diff != "" {
		t.Errorf("activated by the message's own list, R-02 (-want +got):\n%s", diff)
	}
}

// SRV-26, PUSH-11, R-28: methods that are not offered yet, and one that isn't one.
func TestMethodsNotOffered(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	for method, code := range map[string]int{
		"CreateTaskPushNotificationConfig": a2a.CodePushNotificationNotSupported,
		"GetTaskPushNotificationConfig":    a2a.CodePushNotificationNotSupported,
		"ListTaskPushNotificationConfigs":  a2a.CodePushNotificationNotSupported,
		"DeleteTaskPushNotificationConfig": a2a.CodePushNotificationNotSupported,
		"GetExtendedAgentCard":             a2a.CodeUnsupportedOperation,
		server.GetHeldCall:                 a2a.CodeMethodNotFound, // off
		"message/send":                     a2a.CodeMethodNotFound,
		"":                                 a2a.CodeMethodNotFound,
	} {
		s.refused(alice, method, `{}`, code)
	}
}

// Each operation costs what it must and no more.
func TestCallsOfTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		now := func(r *a2a.SendMessageRequest) { r.Configuration.ReturnImmediately = true }
		paused := s.send(activated, approval)
		answer := strings.Replace(answerParams(paused, "a", `"approved":true`), `"message"`, `"configuration":{"returnImmediately":true},"message"`, 1)
		for _, tt := range []struct {
			method, params string
			want           counts
		}{
			{"SendMessage", sendParams("x", now), counts{Creates: 1, Sends: 1}},
			{"SendMessage", answer, counts{Reads: 1, Commits: 1, Sends: 1}},
			{"GetTask", `{"id":"` + paused.ID + `"}`, counts{Reads: 1}},
			{"ListTasks", `{}`, counts{Lists: 1}},
		} {
			before := s.counts()
			s.call(alice, tt.method, tt.params)
			after := s.counts()
			got := counts{
				after.Creates - before.Creates, after.Reads - before.Reads, after.Commits - before.Commits,
				after.Lists - before.Lists, after.Sends - before.Sends,
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.method, diff)
			}
		}
	})
}

// A failure of ours tells the caller a reference, and the log the rest.
func TestInternalFailures(t *testing.T) {
	t.Parallel()
	for name, fail := range map[string]func(string) error{
		"error": func(string) error { return errors.New("secret table is away") },
		"panic": func(string) error { panic("secret table is away") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSystem(t)
			s.store.fail = fail
			e := s.refused(alice, "GetTask", `{"id":"t1.x"}`, a2a.CodeInternal)
			if strings.Contains(asJSON(e), "secret") {
				t.Errorf("got %s, want no internal text", asJSON(e))
			}
			var line struct{ Reference, Error string }
			if err := json.NewDecoder(bytes.NewReader(s.log.Bytes())).Decode(&line); err != nil {
				t.Fatal(err)
			}
			if line.Reference == "" || line.Reference != e.Metadata["reference"] || !strings.Contains(line.Error, "secret") {
				t.Errorf("logged %+v, want the reference %q and the cause", line, e.Metadata["reference"])
			}
		})
	}
}

// SRV-13, SRV-19, SRV-20: the timer recovers what lost its poke, and ends with Close.
func TestRecoveryTimer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var runs atomic.Int64
		s := newSystem(t, func(o *server.Options) {
			o.OnError = func(error) {}
			store, pokes := o.Store.(*faultyStore).Store, o.Queue
			o.RecoverEvery = 30 * time.Second
			o.Recover = func(ctx context.Context, limit int) (task.Recovered, error) {
				runs.Add(1)
				return turn.Recover(ctx, store, pokes, time.Now(), limit)
			}
		})
		s.queue.away.Store(true)
		lost := s.task(alice, "SendMessage", sendParams("x", func(r *a2a.SendMessageRequest) { r.Configuration.ReturnImmediately = true }))
		s.queue.away.Store(false)
		time.Sleep(2 * time.Minute)
		wantState(t, s.get(alice, lost.ID), a2a.TaskStateCompleted)
		s.Close()
		before := runs.Load()
		time.Sleep(10 * time.Minute)
		if got := runs.Load() - before; before == 0 || got != 0 {
			t.Errorf("got %d recoveries, and %d after Close, want some and none", before, got)
		}
	})
}
