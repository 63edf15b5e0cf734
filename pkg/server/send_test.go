package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
)

// SPEC-05, ANS-10: a blocking send waits until the task has ended; a caller's context id is taken.
func TestSendWaitsForTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		got := s.task(alice, "SendMessage", sendParams("sleep 3s; hello", func(r *a2a.SendMessageRequest) {
			r.Message.ContextID = "ticket-4821"
		}))
		wantState(t, got, a2a.TaskStateCompleted)
		if !strings.HasPrefix(got.ID, "t1.") || got.ContextID != "ticket-4821" {
			t.Errorf("got id %q, context %q, want t1.…, ticket-4821", got.ID, got.ContextID)
		}
		if len(got.Artifacts) != 1 {
			t.Errorf("got %d artifacts, want 1", len(got.Artifacts))
		}
		if len(got.History) != 0 {
			t.Errorf("got history %v, want none unless asked for", got.History)
		}
	})
}

// a blocking send ends at its bound with the task as it stands.
func TestSendWaitsNoLongerThanItsBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		start := time.Now()
		wantState(t, s.send(alice, "sleep 10m; late"), a2a.TaskStateWorking)
		if got := time.Since(start); got != server.DefaultBlockingWait {
			t.Errorf("waited %v, want %v", got, server.DefaultBlockingWait)
		}
	})
}

// A caller that goes away ends its wait, and not its task.
func TestSendEndsWithItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		start := time.Now()
		out := s.Call(ctx, "SendMessage", []byte(sendParams("sleep 20s; late", nil)), alice)
		if got := time.Since(start); got != 5*time.Second {
			t.Errorf("waited %v, want 5s", got)
		}
		time.Sleep(time.Minute)
		wantState(t, s.get(alice, out.Result.(a2a.SendMessageResponse).Task.ID), a2a.TaskStateCompleted)
	})
}

// R-50, SRV-11: the pauses between two looks begin at 50 ms, double, end at the bound, and begin
// anew when something happened.
func TestWaitLooksLessAndLess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		var looks []time.Duration
		start := time.Now()
		s.store.fail = func(operation string) error {
			if operation == "read" {
				looks = append(looks, time.Since(start))
			}
			return nil
		}
		s.send(alice, "sleep 4s; sleep 4s; late")
		var want []time.Duration
		for _, ms := range []time.Duration{
			50,                                         // finds the task working
			100, 200, 400, 800, 1600, 2600, 3600, 4600, // finds the first sleep over
			4650, 4750, 4950, 5350, 6150, 7150, 8150, // finds the end
		} {
			want = append(want, ms*time.Millisecond)
		}
		if diff := cmp.Diff(want, looks); diff != "" {
			t.Errorf("looks (-want +got):\n%s", diff)
		}
	})
}

// A change in this process ends the pause at once.
func TestWatchedTaskIsSeenAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t, func(o *server.Options) { o.Watcher = o.Store.(*faultyStore).Store.(*watch.Store) })
		start := time.Now()
		wantState(t, s.send(alice, "sleep 4s; late"), a2a.TaskStateCompleted)
		if got := time.Since(start); got > 4*time.Second+10*time.Millisecond {
			t.Errorf("waited %v, want 4s, or a moment more where the poke overtook the create", got)
		}
	})
}

// A caller that goes away between its write and the poke leaves a task that is worked on.
func TestPokeOutlivesItsCaller(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		paused := s.send(alice, "ask Which?")
		ctx, cancel := context.WithCancel(t.Context())
		s.store.lose = func(operation string) error {
			if operation == "commit" {
				cancel()
			}
			return nil
		}
		s.Call(ctx, "SendMessage", []byte(textParams(paused.ID, "m-2", "this one")), alice)
		time.Sleep(time.Second)
		wantState(t, s.get(alice, paused.ID), a2a.TaskStateCompleted)
	})
}

// a repeat under one idempotency key is answered with the first one's task, and waits as the
// first did; another content is refused, and so is a key that can't be one.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		keyed := alice
		keyed.IdempotencyKey = "order-7"
		first := s.send(keyed, "sleep 1s; hello")
		again := s.task(keyed, "SendMessage", sendParams("sleep 1s; hello", func(r *a2a.SendMessageRequest) { r.Message.MessageID = "m-2" }))
		if diff := cmp.Diff(first, again); diff != "" {
			t.Errorf("repeat (-first +again):\n%s", diff)
		}
		s.refused(keyed, "SendMessage", sendParams("other", nil), a2a.CodeInvalidParams)
		theirs := bob
		theirs.IdempotencyKey = keyed.IdempotencyKey
		if got := s.send(theirs, "other"); got.ID == first.ID {
			t.Errorf("another owner got the task of %s", first.ID)
		}
		if a, b := s.send(alice, "hello"), s.send(alice, "hello"); a.ID == b.ID {
			t.Error("without a key one message id made one task, want two")
		}
		for _, key := range []string{strings.Repeat("k", 257), "a\r\nb", "ä"} {
			keyed.IdempotencyKey = key
			if e := s.refused(keyed, "SendMessage", sendParams("x", nil), a2a.CodeInvalidParams); e.Violations[0].Field != "Idempotency-Key" {
				t.Errorf("key %q: got field %q, want Idempotency-Key", key, e.Violations[0].Field)
			}
		}
	})
}

// a bare message answers a waiting caller alone; GetTask has it as a completed task, lists
// don't. Who knows of the task gets a task.
func TestBareMessage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		out := s.call(alice, "SendMessage", sendParams("message hi", nil))
		m := out.Result.(a2a.SendMessageResponse).Message
		if m == nil || m.TaskID != "" || m.Parts[0].Content != a2a.Text("hi") {
			t.Fatalf("got %+v, want the message alone", out.Result)
		}
		list := s.call(alice, "ListTasks", `{}`).Result.(a2a.ListTasksResponse)
		if len(list.Tasks) != 0 {
			t.Errorf("got %d tasks listed, want 0", len(list.Tasks))
		}
		shown := s.task(alice, "SendMessage", sendParams("message hi", func(r *a2a.SendMessageRequest) { r.Configuration.ReturnImmediately = true }))
		time.Sleep(time.Second)
		got := s.get(alice, shown.ID)
		wantState(t, got, a2a.TaskStateCompleted)
		if got.Status.Message == nil || got.Status.Message.Parts[0].Content != a2a.Text("hi") {
			t.Errorf("got status %+v, want the message in it", got.Status)
		}
	})
}

// What a message is refused for, with the field.
func TestSendRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		edit  func(*a2a.SendMessageRequest)
		code  int
		field string
	}{
		{"role", func(r *a2a.SendMessageRequest) { r.Message.Role = a2a.RoleAgent }, a2a.CodeInvalidParams, "message.role"},
		{"push config, PUSH-11", func(r *a2a.SendMessageRequest) {
			r.Configuration.TaskPushNotificationConfig = &a2a.TaskPushNotificationConfig{URL: "https://example.com"}
		}, a2a.CodePushNotificationNotSupported, ""},
		{"unknown task, SPEC-03", func(r *a2a.SendMessageRequest) { r.Message.TaskID = "t1.x" }, a2a.CodeTaskNotFound, ""},
		{"media type, R-66", func(r *a2a.SendMessageRequest) { r.Message.Parts[0].MediaType = "image/png" }, a2a.CodeContentTypeNotSupported, ""},
		{"over 1 MiB, R-53", func(r *a2a.SendMessageRequest) {
			r.Message.Parts[0].Content = a2a.Text(strings.Repeat("x", task.MaxPiece))
		}, a2a.CodeInvalidParams, "message"},
		{"id, R-65", func(r *a2a.SendMessageRequest) { r.Message.ContextID = "a\nb" }, a2a.CodeInvalidParams, "message.contextId"},
		{"no parts", func(r *a2a.SendMessageRequest) { r.Message.Parts = nil }, a2a.CodeInvalidParams, "message.parts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newSystem(t)
			e := s.refused(alice, "SendMessage", sendParams("x", tt.edit), tt.code)
			if tt.field != "" && (len(e.Violations) != 1 || e.Violations[0].Field != tt.field) {
				t.Errorf("got violations %v, want one of %s", e.Violations, tt.field)
			}
			if got := s.counts().Creates; got != 0 {
				t.Errorf("got %d creates, want 0", got)
			}
		})
	}
}

// A media type of the agent's, or one of a wildcard's, is taken.
func TestSendTakesItsMediaTypes(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		for _, mediaType := range []string{"application/json", "text/markdown", "Text/Plain; charset=utf-8"} {
			s.task(alice, "SendMessage", sendParams("x", func(r *a2a.SendMessageRequest) { r.Message.Parts[0].MediaType = mediaType }))
		}
	})
}

// Protocol, create: a create whose answer was lost is recognised as ours; one that never happened
// is made again.
func TestCreateSurvivesLostAnswers(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newSystem(t)
			failed := false
			once := func(operation string) error {
				if operation != "create" || failed {
					return nil
				}
				failed = true
				return errors.New("connection reset")
			}
			if after {
				s.store.lose = once
			} else {
				s.store.fail = once
			}
			wantState(t, s.send(alice, "hello"), a2a.TaskStateCompleted)
			list := s.call(alice, "ListTasks", `{}`).Result.(a2a.ListTasksResponse)
			if len(list.Tasks) != 1 {
				t.Errorf("after %t: got %d tasks, want 1", after, len(list.Tasks))
			}
		})
	}
}

// Protocol: a poke that can't be sent fails no call; it goes to OnError (SRV-14).
func TestLostPokeFailsNoCall(t *testing.T) {
	t.Parallel()
	lost := make(chan error, 1)
	s := newSystem(t, func(o *server.Options) { o.OnError = func(err error) { lost <- err } })
	s.queue.away.Store(true)
	s.task(alice, "SendMessage", sendParams("x", func(r *a2a.SendMessageRequest) { r.Configuration.ReturnImmediately = true }))
	if err := <-lost; !errors.Is(err, errAway) {
		t.Errorf("got %v, want %v", err, errAway)
	}
}
