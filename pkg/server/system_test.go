package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
	"github.com/interlude-a2a/interlude/pkg/turn"
	"github.com/interlude-a2a/interlude/test/schema"
)

var (
	alice     = server.CallContext{Principal: access.Principal{Subject: "alice"}}
	bob       = server.CallContext{Principal: access.Principal{Subject: "bob"}}
	activated = server.CallContext{Principal: alice.Principal, Extensions: []string{interaction.URI}}
)

// faultyStore counts the server's calls of a store and fails as it is told.
type faultyStore struct {
	task.Store
	creates, reads, commits, lists atomic.Int64
	// fail is asked before a call's effect, lose after it.
	fail, lose func(operation string) error
}

func (s *faultyStore) around(operation string, n *atomic.Int64, call func() error) error {
	n.Add(1)
	if s.fail != nil {
		if err := s.fail(operation); err != nil {
			return err
		}
	}
	if err := call(); err != nil || s.lose == nil {
		return err
	}
	return s.lose(operation)
}

func (s *faultyStore) Create(ctx context.Context, r *task.Record, first []task.Event) error {
	return s.around("create", &s.creates, func() error { return s.Store.Create(ctx, r, first) })
}

func (s *faultyStore) Read(ctx context.Context, k task.Key, after uint64) (r *task.Record, events []task.Event, err error) {
	err = s.around("read", &s.reads, func() (err error) { r, events, err = s.Store.Read(ctx, k, after); return err })
	return r, events, err
}

func (s *faultyStore) Commit(ctx context.Context, k task.Key, c *task.Change) (r *task.Record, err error) {
	err = s.around("commit", &s.commits, func() (err error) { r, err = s.Store.Commit(ctx, k, c); return err })
	return r, err
}

func (s *faultyStore) List(ctx context.Context, scope task.Scope, q task.Query) (p task.Page, err error) {
	err = s.around("list", &s.lists, func() (err error) { p, err = s.Store.List(ctx, scope, q); return err })
	return p, err
}

// counts are the calls so far.
type counts struct{ Creates, Reads, Commits, Lists, Sends int64 }

// errAway is what a faultySender that is away fails with.
var errAway = errors.New("queue is away")

// faultySender counts pokes and fails while it is away.
type faultySender struct {
	queue.Sender
	sends atomic.Int64
	away  atomic.Bool
}

func (s *faultySender) Send(ctx context.Context, p queue.Poke, delay time.Duration) error {
	s.sends.Add(1)
	if s.away.Load() {
		return errAway
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.Sender.Send(ctx, p, delay)
}

// system is a server with workers that play scripts, in one process.
type system struct {
	*server.Server
	t     *testing.T
	store *faultyStore
	queue *faultySender
	log   *bytes.Buffer
}

func (s *system) counts() counts {
	return counts{s.store.creates.Load(), s.store.reads.Load(), s.store.commits.Load(), s.store.lists.Load(), s.queue.sends.Load()}
}

// newSystem starts a system; it ends with the test.
func newSystem(t *testing.T, options ...func(*server.Options)) *system {
	t.Helper()
	inner, q := watch.New(memory.New(memory.Options{})), local.New(local.Options{})
	s := &system{
		t: t, log: &bytes.Buffer{},
		store: &faultyStore{Store: inner},
		queue: &faultySender{Sender: q},
	}
	log := slog.New(slog.NewJSONHandler(s.log, nil))
	o := server.Options{
		Store: s.store, Queue: s.queue, Log: log, Secret: server.Static([]byte("0123456789abcdef0123456789abcdef")),
		Card: a2a.AgentCard{
			Name:              "test",
			DefaultInputModes: []string{"text/*", "application/json"},
			Capabilities:      a2a.AgentCapabilities{Streaming: true, Extensions: []a2a.AgentExtension{interaction.Extension()}},
		},
	}
	for _, set := range options {
		set(&o)
	}
	var err error
	if s.Server, err = server.New(o); err != nil {
		t.Fatal(err)
	}
	worker, err := turn.New(turn.Options{Store: inner, Queue: q, Agent: &agenttest.Agent{}, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		queue.Run(ctx, q, 2, 40*time.Second, worker.Handle)
	}()
	t.Cleanup(func() {
		s.Close()
		cancel()
		<-ended
	})
	return s
}

// call makes a call whose parameters are given as JSON.
func (s *system) call(c server.CallContext, method, params string) server.Outcome {
	s.t.Helper()
	out := s.Call(s.t.Context(), method, json.RawMessage(params), c)
	if out.Result != nil {
		s.conforms(method, out.Result)
	}
	return out
}

// conforms checks a result, or an event of a stream, against the proto, where it has the method.
func (s *system) conforms(method string, result any) {
	s.t.Helper()
	_, m := schema.Messages(method)
	if m == nil {
		return
	}
	raw, err := a2a.Marshal(result)
	if err == nil {
		err = schema.Check(raw, m)
	}
	if err != nil {
		s.t.Errorf("%s: %v: %s", method, err, raw)
	}
}

// refused makes a call that must fail with a code.
func (s *system) refused(c server.CallContext, method, params string, code int) *a2a.Error {
	s.t.Helper()
	out := s.call(c, method, params)
	if out.Err == nil || out.Err.Code != code {
		s.t.Fatalf("%s %s: got %+v, %+v, want error %d", method, params, out.Result, out.Err, code)
	}
	return out.Err
}

// task makes a call that must yield a task.
func (s *system) task(c server.CallContext, method, params string) a2a.Task {
	s.t.Helper()
	out := s.call(c, method, params)
	switch result := out.Result.(type) {
	case a2a.Task:
		return result
	case a2a.SendMessageResponse:
		if result.Task != nil {
			return *result.Task
		}
	}
	s.t.Fatalf("%s %s: got %+v, %+v, want a task", method, params, out.Result, out.Err)
	return a2a.Task{}
}

// send starts a task with a script and returns it as the blocking call does.
func (s *system) send(c server.CallContext, script string) a2a.Task {
	s.t.Helper()
	return s.task(c, "SendMessage", sendParams(script, nil))
}

func (s *system) get(c server.CallContext, id string) a2a.Task {
	s.t.Helper()
	return s.task(c, "GetTask", asJSON(a2a.GetTaskRequest{ID: id, HistoryLength: new(int32(100))}))
}

// sendParams are the parameters of a message that starts a task, after edit.
func sendParams(text string, edit func(*a2a.SendMessageRequest)) string {
	req := a2a.SendMessageRequest{Message: a2a.Message{
		MessageID: "m-1", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text(text)}},
	}}
	if edit != nil {
		edit(&req)
	}
	return asJSON(req)
}

// answerParams are the parameters of an answer of the extension to what t waits for.
func answerParams(t a2a.Task, messageID, answer string) string {
	var open interaction.Interaction
	if err := json.Unmarshal(t.Status.Message.Metadata[interaction.URI], &open); err != nil {
		panic(err)
	}
	return sendParams("no", func(r *a2a.SendMessageRequest) {
		r.Message.MessageID, r.Message.TaskID = messageID, t.ID
		r.Message.Extensions = []string{interaction.URI}
		r.Message.Metadata = a2a.Metadata{interaction.URI: json.RawMessage(`{"interactionId":"` + open.ID + `",` + answer + `}`)}
	})
}

// textParams are the parameters of a plain message to a task.
func textParams(taskID, messageID, text string) string {
	return sendParams(text, func(r *a2a.SendMessageRequest) {
		r.Message.MessageID, r.Message.TaskID = messageID, taskID
	})
}

func asJSON(v any) string {
	b, err := a2a.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func wantState(t *testing.T, got a2a.Task, want a2a.TaskState) {
	t.Helper()
	if got.Status.State != want {
		t.Fatalf("state: got %s, want %s", got.Status.State, want)
	}
}
