package server_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// a deployment may take less than the most, and says so with the field.
func TestLimits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t, func(o *server.Options) { o.MaxMessage, o.MaxParts = 2000, 2 })
		parts := func(n int) string {
			return sendParams("x", func(r *a2a.SendMessageRequest) {
				for len(r.Message.Parts) < n {
					r.Message.Parts = append(r.Message.Parts, r.Message.Parts[0])
				}
			})
		}
		wantState(t, s.task(alice, "SendMessage", parts(2)), a2a.TaskStateCompleted)
		if e := s.refused(alice, "SendMessage", parts(3), a2a.CodeInvalidParams); e.Violations[0].Field != "message.parts" {
			t.Errorf("got %+v", e)
		}
		if e := s.refused(alice, "SendMessage", sendParams(strings.Repeat("x", 2000), nil), a2a.CodeInvalidParams); e.Violations[0].Field != "message" {
			t.Errorf("got %+v", e)
		}
	})
	s := newSystem(t)
	modes := func(r *a2a.SendMessageRequest) {
		r.Configuration.AcceptedOutputModes = []string{"text/plain", strings.Repeat("x", 4<<10)}
	}
	if e := s.refused(alice, "SendMessage", sendParams("x", modes), a2a.CodeInvalidParams); e.Violations[0].Field != "configuration.acceptedOutputModes" {
		t.Errorf("got %+v", e)
	}
	for _, set := range []func(*server.Options){
		func(o *server.Options) { o.MaxMessage = 2 << 20 }, func(o *server.Options) { o.MaxParts = 1001 }, func(o *server.Options) { o.MaxStreams = -1 },
	} {
		o := server.Options{Card: a2a.AgentCard{Name: "x"}, Secret: server.Static(nil), Store: &faultyStore{}, Queue: &faultySender{}}
		set(&o)
		if _, err := server.New(o); err == nil {
			t.Errorf("%+v: got no error", o)
		}
	}
}

// A tenant's streams are bounded, and nobody else's by them; one that ends makes room.
func TestMaxStreams(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t, func(o *server.Options) { o.MaxStreams = 2 })
		ctx, leave := context.WithCancel(t.Context())
		ended := make(chan struct{})
		for range 2 {
			events := s.stream(ctx, alice, "SendStreamingMessage", sendParams("sleep 1h", nil))
			go func() { s.all(events); ended <- struct{}{} }()
		}
		synctest.Wait()
		s.refused(alice, "SendStreamingMessage", sendParams("x", nil), a2a.CodeResourceExhausted)
		s.refused(alice, "SubscribeToTask", `{"id":"t1.x"}`, a2a.CodeResourceExhausted)
		s.all(s.stream(t.Context(), bob, "SendStreamingMessage", sendParams("x", nil)))
		leave()
		<-ended
		<-ended
		s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("x", nil)))
	})
}

// Of many streams that are asked for at once no more begin than the bound.
func TestMaxStreamsAtOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t, func(o *server.Options) { o.MaxStreams = 2 })
		s.store.fail = func(string) error { time.Sleep(time.Second); return nil }
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		var began atomic.Int64
		for range 200 {
			go func() {
				if s.Call(ctx, "SendStreamingMessage", json.RawMessage(sendParams("sleep 1h", nil)), alice).Events != nil {
					began.Add(1)
				}
			}()
		}
		time.Sleep(10 * time.Second)
		if began.Load() != 2 {
			t.Errorf("%d streams at once, want 2", began.Load())
		}
		leave() // a stream that nobody reads gives its place back with its call
		synctest.Wait()
		s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("x", nil)))
		for range 2 { // so does one that was refused
			s.refused(alice, "SubscribeToTask", `{"id":"t1.x"}`, a2a.CodeTaskNotFound)
			s.refused(alice, "SendStreamingMessage", textParams("t1.x", "m", "x"), a2a.CodeTaskNotFound)
		}
		s.all(s.stream(t.Context(), alice, "SendStreamingMessage", sendParams("x", nil)))
	})
}
