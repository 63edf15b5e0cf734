package server_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// stream makes a call that must be answered with a stream.
func (s *system) stream(ctx context.Context, c server.CallContext, method, params string) server.Events {
	s.t.Helper()
	out := s.Call(ctx, method, json.RawMessage(params), c)
	if out.Events == nil {
		s.t.Fatalf("%s %s: got %+v, %v, want a stream", method, params, out.Result, out.Err)
	}
	return out.Events
}

// brief is an event in a word or two.
func brief(e server.Event) string {
	r := e.Response
	switch {
	case r.Task != nil:
		return "task " + short(r.Task.Status.State)
	case r.StatusUpdate != nil:
		out := short(r.StatusUpdate.Status.State)
		if m := r.StatusUpdate.Status.Message; m != nil {
			out += fmt.Sprintf(" %q", m.Parts[0].Content)
		}
		return out
	case r.ArtifactUpdate != nil:
		a := r.ArtifactUpdate
		return fmt.Sprintf("artifact %q append %t last %t", a.Artifact.Parts[0].Content, a.Append, a.LastChunk)
	}
	return "nothing"
}

func short(s a2a.TaskState) string { return strings.TrimPrefix(string(s), "TASK_STATE_") }

// all reads a stream to its end.
func (s *system) all(events server.Events) (all []server.Event, words []string) {
	s.t.Helper()
	for e, err := range events {
		if err != nil {
			s.t.Errorf("the stream failed: %v", err)
		} else {
			s.conforms("SubscribeToTask", e.Response)
		}
		all, words = append(all, e), append(words, brief(e))
	}
	return all, words
}

func wantWords(t *testing.T, got []string, want ...string) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the stream (-want +got):\n%s", d)
	}
}

// SPEC-08, R-22, R-41: the task first, then all that happens, in order, to its end.
func TestSendStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		all, words := s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("say one; piece a b; artifact text x; say done", nil)))
		wantWords(t, words, "task SUBMITTED", "WORKING", `WORKING "one"`, `artifact "a " append false last false`, `artifact "b" append true last true`,
			`artifact "x" append false last true`, `COMPLETED "done"`)
		seen := map[string]bool{}
		for _, e := range all {
			if e.ID == "" || seen[e.ID] {
				t.Errorf("event %s has id %q", brief(e), e.ID)
			}
			seen[e.ID] = true
			if u := e.Response.StatusUpdate; u != nil && (u.TaskID == "" || u.ContextID == "") {
				t.Errorf("%s names task %q, context %q", brief(e), u.TaskID, u.ContextID)
			}
		}
	})
}

// a send's stream ends with a pause; the answer's goes on on the same task. R-59: it is a
// task that is streamed, even if the agent answers with a bare message.
func TestSendStreamPauses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		all, words := s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("ask Which?; say done", nil)))
		wantWords(t, words, "task SUBMITTED", "WORKING", `INPUT_REQUIRED "Which?"`)
		_, words = s.all(s.stream(t.Context(), alice, "SendStreamingMessage", textParams(all[0].Response.Task.ID, "m-2", "this")))
		wantWords(t, words, "task WORKING", `WORKING "Answered: \"this\""`, `COMPLETED "done"`)
		_, words = s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("message hi", nil)))
		wantWords(t, words, "task SUBMITTED", "WORKING", `COMPLETED "hi"`)
		s.refused(alice, "SendStreamingMessage", textParams(all[0].Response.Task.ID, "m-3", "more"), a2a.CodeUnsupportedOperation)
	})
}

// R-22, SPEC-08: a subscription lives through a pause, for a while, and ends with the task.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		open := s.send(alice, "ask Which?; say done")
		id := `{"id":"` + open.ID + `"}`
		go func() {
			time.Sleep(20 * time.Second)
			s.call(alice, "SendMessage", textParams(open.ID, "m-2", "this"))
		}()
		_, words := s.all(s.stream(t.Context(), alice, "SubscribeToTask", id))
		wantWords(t, words, "task INPUT_REQUIRED", "WORKING", `WORKING "Answered: \"this\""`, `COMPLETED "done"`)

		open = s.send(alice, "ask Which?")
		began := time.Now()
		_, words = s.all(s.stream(t.Context(), alice, "SubscribeToTask", `{"id":"`+open.ID+`"}`))
		wantWords(t, words, "task INPUT_REQUIRED")
		if waited := time.Since(began); waited < server.DefaultLinger || waited > server.DefaultLinger+2*time.Second {
			t.Errorf("it lingered for %v, want %v", waited, server.DefaultLinger)
		}
		s.refused(alice, "SubscribeToTask", id, a2a.CodeUnsupportedOperation)
		s.refused(bob, "SubscribeToTask", `{"id":"`+open.ID+`"}`, a2a.CodeTaskNotFound)
		s.refused(alice, "SubscribeToTask", `{"id":"t1.none"}`, a2a.CodeTaskNotFound)
	})
}

// SPEC-08, SRV-30: several followers see the same, whichever of them came when, and wherever a
// follower was cut off it continues behind what it saw: nothing is lost or doubled.
func TestFollowersSeeTheSame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		first := make(chan []server.Event)
		stream := s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("sleep 2s; say one; sleep 2s; piece a b c; sleep 2s; say two; sleep 1s; say done", nil))
		next, stop := make(chan string, 1), make(chan []server.Event)
		go func() {
			var all []server.Event
			for e := range stream {
				if all = append(all, e); len(all) == 1 {
					next <- e.Response.Task.ID
				}
			}
			first <- all
		}()
		id := `{"id":"` + <-next + `"}`
		go func() {
			all, _ := s.all(s.stream(t.Context(), alice, "SubscribeToTask", id))
			stop <- all
		}()
		whole, other := <-first, <-stop
		if d := cmp.Diff(whole[len(whole)-len(other)+1:], other[1:]); d != "" || len(other) < 5 {
			t.Errorf("two followers differ (-first +second):\n%s", d)
		}
		for i, last := range whole {
			c := alice
			c.LastEventID = last.ID
			rest, _ := s.all(s.stream(t.Context(), c, "SubscribeToTask", id))
			if d := cmp.Diff(asJSON(responses(whole[i+1:])), asJSON(responses(rest))); d != "" {
				t.Errorf("cut off behind event %d (-want +got):\n%s", i, d)
			}
		}
		of, last, _ := strings.Cut(whole[len(whole)-1].ID, "-")
		for _, strange := range []string{"x", "-1", last, "aaaaaa-" + last, of + "-0", of + "-999", of + "-1.5", of + "-0" + last} {
			c := alice
			c.LastEventID = strange
			s.refused(c, "SubscribeToTask", id, a2a.CodeUnsupportedOperation)
		}
	})
}

func responses(all []server.Event) []a2a.StreamResponse {
	out := make([]a2a.StreamResponse, 0, len(all))
	for _, e := range all {
		out = append(out, e.Response)
	}
	return out
}

// Text comes as it is written, to who streams: begun anew, then appended to, and replaced by what
// it comes to. It has no id, because it is not what a follower continues behind.
func TestLiveText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		text := strings.TrimSpace(strings.Repeat("one two three four five ", 5))
		all, words := s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("write "+text+"; say done", nil)))
		written, pieces := "", 0
		for i, e := range all {
			u := e.Response.ArtifactUpdate
			if u == nil || e.ID != "" {
				continue
			}
			if pieces++; u.Append != (pieces > 1) || u.LastChunk || u.Artifact.ArtifactID != "artifact-1" {
				t.Errorf("piece %d: %s of %s", pieces, words[i], u.Artifact.ArtifactID)
			}
			written += string(u.Artifact.Parts[0].Content.(a2a.Text))
		}
		if pieces < 3 || !strings.HasPrefix(text, written) {
			t.Errorf("%d pieces: %q", pieces, written)
		}
		wantWords(t, words[len(words)-2:], `artifact "`+text+`" append false last true`, `COMPLETED "done"`)
		if got := s.get(alice, all[0].Response.Task.ID); len(got.Artifacts) != 1 || got.Artifacts[0].Parts[0].Content != a2a.Text(text) {
			t.Errorf("the task has %+v", got.Artifacts)
		}
	})
}

// Who does not stream has nothing written for it.
func TestNoLiveText(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		done := s.send(alice, "write one two three four five six; say done")
		k := task.Key{Scope: task.Scope{Owner: "alice"}, ID: done.ID}
		r, _, err := s.store.Read(t.Context(), k, task.Latest)
		if err != nil {
			t.Fatal(err)
		}
		if said, err := s.store.Said(t.Context(), k, task.TextMark{Fence: r.Fence}); err != nil || len(said) > 0 || r.Run.Streams {
			t.Errorf("got %v, %v of %+v", said, err, r.Run)
		}
	})
}

// a stream shows interactions to who activated them alone.
func TestStreamHidesInteractions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		for c, want := range map[*server.CallContext]bool{&alice: false, &activated: true} {
			all, _ := s.all(s.stream(t.Context(), *c, "SendStreamingMessage", sendParams("approve github/merge", nil)))
			if got := strings.Contains(asJSON(responses(all)), interaction.URI); got != want {
				t.Errorf("extensions %v: it is shown: %t", c.Extensions, got)
			}
			open := all[0].Response.Task.ID
			all, _ = s.all(s.stream(t.Context(), *c, "SubscribeToTask", `{"id":"`+open+`"}`))
			if got := strings.Contains(asJSON(responses(all)), interaction.URI); got != want {
				t.Errorf("extensions %v, subscribed: it is shown: %t", c.Extensions, got)
			}
		}
	})
}

// SRV-22, R-22: a caller who goes away, or an invocation that ends, ends its stream and nothing else.
func TestStreamIsLeft(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		all, words := s.all(s.stream(ctx, alice, "SendStreamingMessage", sendParams("sleep 60s; say done", nil)))
		wantWords(t, words, "task SUBMITTED", "WORKING")
		time.Sleep(time.Minute)
		wantState(t, s.get(alice, all[0].Response.Task.ID), a2a.TaskStateCompleted)
		for range s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("sleep 60s; say done", nil)) {
			break
		}
	})
}

// who follows a task that is gone is told so, and waits no longer.
func TestFollowingATaskThatIsGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		began := time.Now()
		s.store.fail = func(operation string) error {
			if operation == "read" && time.Since(began) > 5*time.Second {
				return task.ErrNotFound
			}
			return nil
		}
		if got := s.send(alice, "sleep 60s; say done"); got.Status.State != a2a.TaskStateWorking || time.Since(began) > 10*time.Second {
			t.Errorf("a blocking send: got %s after %v", got.Status.State, time.Since(began))
		}
		began = time.Now()
		var last *a2a.Error
		for _, err := range s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("sleep 60s; say done", nil)) {
			last = err
		}
		if last == nil || last.Code != a2a.CodeTaskNotFound || time.Since(began) > 10*time.Second {
			t.Errorf("a stream: got %v after %v", last, time.Since(began))
		}
	})
}

// SRV-11: a follower of a task where nothing happens looks no more often than once a second.
func TestFollowerRests(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("sleep 100s; say done", nil)))
		if n := s.counts().Reads; n > 110 {
			t.Errorf("%d reads in 100 s", n)
		}
	})
}

// CARD-05, SPEC-10: an agent whose card promises no streams makes none.
func TestNoStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t, func(o *server.Options) { o.Card.Capabilities.Streaming = false })
		s.refused(alice, "SendStreamingMessage", sendParams("x", nil), a2a.CodeUnsupportedOperation)
		s.refused(alice, "SubscribeToTask", `{"id":"t1.x"}`, a2a.CodeUnsupportedOperation)
	})
}

// A store that fails for a while is looked at again; what happened meanwhile is told.
func TestStreamOverFaults(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		began := time.Now()
		s.store.fail = func(operation string) error {
			if operation == "read" && time.Since(began) < 10*time.Second {
				return errors.New("away")
			}
			return nil
		}
		_, words := s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("say one; say done", nil)))
		wantWords(t, words, "task SUBMITTED", "WORKING", `WORKING "one"`, `COMPLETED "done"`)
	})
}
