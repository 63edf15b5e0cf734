package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/server"
)

const approval = "approve github/create_pull_request"

// INT-11, R-01, R-10: text never approves. The task stays as it was.
func TestTextNeverApproves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		paused := s.send(activated, approval)
		wantState(t, paused, a2a.TaskStateAuthRequired)
		before := s.get(activated, paused.ID)
		for _, text := range []string{"yes", "approve", "true"} {
			e := s.refused(activated, "SendMessage", textParams(paused.ID, "m-2", text), a2a.CodeUnsupportedOperation)
			if e.Metadata["taskId"] != paused.ID || e.Metadata["kind"] != "approval" || e.Metadata["interactionId"] == "" {
				t.Errorf("got metadata %v, want task, kind and interaction", e.Metadata)
			}
		}
		if diff := cmp.Diff(before, s.get(activated, paused.ID)); diff != "" {
			t.Errorf("the task changed (-before +after):\n%s", diff)
		}
	})
}

// INT-19, ANS-08, R-11: an answer continues the same task; its repeat is answered alike and
// applied once; the id with another content, and a late answer, are refused.
func TestAnswerContinuesTheTask(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		paused := s.send(activated, approval)
		params := answerParams(paused, "a-1", `"approved":true`)
		done := s.task(activated, "SendMessage", params)
		wantState(t, done, a2a.TaskStateCompleted)
		if done.ID != paused.ID {
			t.Errorf("got task %s, want %s", done.ID, paused.ID)
		}
		before := s.get(activated, done.ID)
		if diff := cmp.Diff(done, s.task(activated, "SendMessage", params)); diff != "" {
			t.Errorf("repeat (-first +again):\n%s", diff)
		}
		if diff := cmp.Diff(before, s.get(activated, done.ID)); diff != "" {
			t.Errorf("the repeat changed the task (-before +after):\n%s", diff)
		}
		s.refused(activated, "SendMessage", answerParams(paused, "a-1", `"approved":false`), a2a.CodeInvalidParams)
		s.refused(activated, "SendMessage", answerParams(paused, "a-2", `"approved":false`), a2a.CodeUnsupportedOperation)
	})
}

// INT-12: text answers a question. SPEC-05: the answer's wait goes on to the next pause.
func TestTextAnswersAQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		start := time.Now()
		paused := s.send(alice, "ask Which?; ask Why?")
		wantState(t, paused, a2a.TaskStateInputRequired)
		if got := time.Since(start); got > time.Second {
			t.Errorf("waited %v, want an end at the pause", got)
		}
		next := s.task(alice, "SendMessage", textParams(paused.ID, "m-2", "this one"))
		wantState(t, next, a2a.TaskStateInputRequired)
		if got := next.Status.Message.Parts[0].Content; got != a2a.Text("Why?") {
			t.Errorf("got prompt %v, want Why?", got)
		}
		wantState(t, s.task(alice, "SendMessage", textParams(paused.ID, "m-3", "because")), a2a.TaskStateCompleted)
	})
}

// SPEC-03, SPEC-04, R-12: what a message to a task is refused for.
func TestAnswerRefuses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		paused := s.send(activated, approval)
		working := s.task(alice, "SendMessage", sendParams("sleep 1h; x", func(r *a2a.SendMessageRequest) { r.Configuration.ReturnImmediately = true }))
		done := s.send(alice, "x")
		nobody := newSystem(t)
		unowned := nobody.send(server.CallContext{Extensions: activated.Extensions}, approval)

		for _, tt := range []struct {
			name   string
			s      *system
			c      server.CallContext
			params string
			code   int
		}{
			{"no interaction id", s, alice, answerParams(paused, "a", `"interactionId":""`), a2a.CodeInvalidRequest},
			{"neither value", s, alice, answerParams(paused, "a", `"note":1`), a2a.CodeInvalidParams},
			{"approved is text", s, alice, answerParams(paused, "a", `"approved":"yes"`), a2a.CodeInvalidParams},
			{"value is no boolean", s, alice, answerParams(paused, "a", `"value":"yes"`), a2a.CodeInvalidParams},
			{"other context", s, alice, sendParams("x", func(r *a2a.SendMessageRequest) {
				r.Message.TaskID, r.Message.ContextID = paused.ID, "other"
			}), a2a.CodeInvalidParams},
			{"working", s, alice, textParams(working.ID, "m", "x"), a2a.CodeUnsupportedOperation},
			{"completed", s, alice, textParams(done.ID, "m", "x"), a2a.CodeUnsupportedOperation},
			{"another's", s, bob, answerParams(paused, "a", `"approved":true`), a2a.CodeTaskNotFound},
			{"anonymous", nobody, server.CallContext{}, answerParams(unowned, "a", `"approved":true`), a2a.CodeUnsupportedOperation},
		} {
			e := tt.s.call(tt.c, "SendMessage", tt.params).Err
			if e == nil || e.Code != tt.code {
				t.Errorf("%s: got %v, want %d", tt.name, e, tt.code)
			}
		}
		local := server.CallContext{Principal: access.Local, Extensions: activated.Extensions}
		mine := nobody.send(local, approval)
		wantState(t, nobody.task(local, "SendMessage", answerParams(mine, "a", `"approved":true`)), a2a.TaskStateCompleted)
	})
}

// of two answers to one interaction the first wins, whatever the interleaving.
func TestOneOfTwoAnswersWins(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		paused := s.send(activated, approval)
		var met sync.WaitGroup
		met.Add(2)
		s.store.fail = func(operation string) error {
			if operation == "commit" && s.store.commits.Load() <= 2 {
				met.Done() // both decided on the same revision
				met.Wait()
			}
			return nil
		}
		var calls sync.WaitGroup
		codes := make([]int, 2)
		for i, id := range []string{"a-1", "a-2"} {
			calls.Go(func() {
				if e := s.call(activated, "SendMessage", answerParams(paused, id, `"approved":true`)).Err; e != nil {
					codes[i] = e.Code
				}
			})
		}
		calls.Wait()
		if codes[0]+codes[1] != a2a.CodeUnsupportedOperation || codes[0]*codes[1] != 0 {
			t.Errorf("got codes %v, want one success and one %d", codes, a2a.CodeUnsupportedOperation)
		}
	})
}

// Counterexample 7: an answer that was taken and whose reply was lost is not refused, even though
// a worker wrote in between. One that was not taken is repeated.
func TestAnswerSurvivesLostReplies(t *testing.T) {
	t.Parallel()
	for _, after := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newSystem(t)
			paused := s.send(activated, approval)
			lost := false
			once := func(operation string) error {
				if operation != "commit" || lost {
					return nil
				}
				lost = true
				return errors.New("connection reset")
			}
			if after {
				s.store.lose = once
			} else {
				s.store.fail = once
			}
			wantState(t, s.task(activated, "SendMessage", answerParams(paused, "a-1", `"approved":true`)), a2a.TaskStateCompleted)
		})
	}
}

// Counterexample 3: a plain reply answers the question that was open when its call read the task,
// and never the next one.
func TestReplyAnswersWhatItRead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		paused := s.send(alice, "ask Which?; ask Why?")
		overtaken := false
		s.store.fail = func(operation string) error {
			if operation == "commit" && !overtaken {
				overtaken = true // by another answer, after which the task asks again
				next := s.task(alice, "SendMessage", textParams(paused.ID, "m-2", "this one"))
				wantState(t, next, a2a.TaskStateInputRequired)
			}
			return nil
		}
		s.refused(alice, "SendMessage", textParams(paused.ID, "m-3", "that one"), a2a.CodeUnsupportedOperation)
		if got := s.get(alice, paused.ID).Status.Message.Parts[0].Content; got != a2a.Text("Why?") {
			t.Errorf("got prompt %v, want Why? still open", got)
		}
	})
}

// Protocol rule 7: a repeat of an answer whose poke was lost pokes again.
func TestRepeatedAnswerPokesAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t, func(o *server.Options) { o.OnError = func(error) {}; o.BlockingWait = time.Second })
		paused := s.send(activated, approval)
		s.queue.away.Store(true)
		params := answerParams(paused, "a-1", `"approved":true`)
		wantState(t, s.task(activated, "SendMessage", params), a2a.TaskStateWorking)
		s.queue.away.Store(false)
		wantState(t, s.task(activated, "SendMessage", params), a2a.TaskStateCompleted)
	})
}

// what answers an interaction never starts a task, not even when its task's id was left out.
func TestAnswerWithoutItsTask(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	for _, entry := range []string{`{"interactionId":"eff_1","approved":true}`, `{}`} {
		err := s.refused(server.CallContext{}, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":{}}],`+
			`"extensions":["`+interaction.URI+`"],"metadata":{"`+interaction.URI+`":`+entry+`}}}`, -32602)
		if !strings.Contains(fmt.Sprint(err.Violations), "message.taskId") {
			t.Errorf("%s: got %+v, want message.taskId named", entry, err)
		}
	}
	if n := s.counts().Creates; n != 0 {
		t.Errorf("%d tasks were made", n)
	}
}

// an answer whose caller went away while it was written is poked for all the same.
func TestAnswerOfACallerThatWentAway(t *testing.T) {
	t.Parallel()
	s := newSystem(t)
	held := s.task(server.CallContext{}, "SendMessage", `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"ask which?"}]}}`)
	before := s.queue.sends.Load()
	ctx, leave := context.WithCancel(t.Context())
	s.store.lose = func(op string) error {
		if op != "commit" {
			return nil
		}
		leave()
		return errors.New("the answer was lost")
	}
	out := s.Call(ctx, "SendMessage", json.RawMessage(`{"message":{"messageId":"a","taskId":"`+held.ID+`","role":"ROLE_USER","parts":[{"text":"x"}]}}`), server.CallContext{})
	if out.Err == nil {
		t.Fatalf("got %+v, want the call to fail", out.Result)
	}
	if got := s.queue.sends.Load(); got != before+1 {
		t.Errorf("%d pokes, want one more than %d", got, before)
	}
}
