package loss

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

const (
	lost     = 0.01 // of DynamoDB's answers
	callers  = 16
	sends    = 500    // with an answer each
	manySend = 10_000 // CRASH=all
)

// No −32603, no duplicate, no lost task.
func TestLostAnswers(t *testing.T) {
	t.Parallel()
	n := sends
	if os.Getenv("CRASH") == "all" {
		n = manySend
	}
	seed := rand.Uint64()
	s := newSystem(t, seed)
	var wg sync.WaitGroup
	for c := range callers {
		wg.Go(func() {
			for i := c; i < n && !t.Failed(); i += callers {
				s.work(t, i)
			}
		})
	}
	wg.Wait()
	if t.Failed() {
		t.Fatalf("seed %d", seed)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.tasks) != n || len(s.made) != n {
		t.Errorf("seed %d: %d tasks and %d calls for %d messages", seed, len(s.tasks), len(s.made), n)
	}
	for id, times := range s.made {
		if times != 1 {
			t.Errorf("seed %d: call %s was made %d times", seed, id, times)
		}
	}
	t.Logf("%d answers lost, seed %d", s.proxy.dropped.Load(), seed)
	if s.proxy.dropped.Load() == 0 {
		t.Error("no answer was lost")
	}
}

// system is API and workers over a table behind the proxy.
type system struct {
	proxy  *proxy
	server *server.Server

	mu    sync.Mutex
	tasks map[string]bool // that were created, by id
	made  map[string]int  // calls, by effect
}

var alice = access.Principal{Subject: "alice", Method: "test"}

func newSystem(t *testing.T, seed uint64) *system {
	t.Helper()
	e := emulator.Shared(t)
	made, err := e.NewBed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cfg := made.Config
	s := &system{proxy: newProxy(t, e.Endpoint, seed, lost), tasks: map[string]bool{}, made: map[string]int{}}
	cfg.BaseEndpoint = aws.String(s.proxy.URL)
	store := dynamodb.New(awsdynamodb.NewFromConfig(cfg), made.Table, dynamodb.Options{})
	q := local.New(local.Options{})
	log := slog.New(slog.DiscardHandler)
	worker, err := turn.New(turn.Options{Store: store, Queue: q, Log: log, Agent: &agenttest.Agent{
		Call: func(_ context.Context, id, _, _ string) error {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.made[id]++
			return nil
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	s.server, err = server.New(server.Options{
		Store: store, Queue: q, Card: agenttest.Card, Secret: server.Static(make([]byte, 32)), Log: log, PollMax: 100 * time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { queue.Run(ctx, q, callers, time.Minute, worker.Handle) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return s
}

// work sends a message, answers what it asks, and sees the task complete.
func (s *system) work(t *testing.T, n int) {
	m := a2a.Message{MessageID: fmt.Sprint("m-", n), Parts: []a2a.Part{{Content: a2a.Text("approve a/b; artifact text done")}}}
	key := "" // a create is recognised without one too
	if n%2 == 0 {
		key = fmt.Sprint("key-", n)
	}
	asked, ok := s.send(t, m, key)
	if !ok {
		return
	}
	s.mu.Lock()
	s.tasks[asked.ID] = true
	s.mu.Unlock()
	var open struct{ InteractionID string }
	if asked.Status.State != a2a.TaskStateAuthRequired || json.Unmarshal(asked.Status.Message.Metadata[interaction.URI], &open) != nil {
		t.Errorf("message %d: task %s is %s", n, asked.ID, asked.Status.State)
		return
	}
	done, ok := s.send(t, a2a.Message{
		MessageID: "answer:" + open.InteractionID, TaskID: asked.ID, Extensions: []string{interaction.URI}, Parts: []a2a.Part{{Content: a2a.Data("{}")}},
		Metadata: a2a.Metadata{interaction.URI: json.RawMessage(`{"interactionId":"` + open.InteractionID + `","approved":true}`)},
	}, "")
	if ok && (done.ID != asked.ID || done.Status.State != a2a.TaskStateCompleted || len(done.Artifacts) != 1) {
		t.Errorf("message %d: task %s is %s with %d artifacts", n, done.ID, done.Status.State, len(done.Artifacts))
	}
}

func (s *system) send(t *testing.T, m a2a.Message, key string) (a2a.Task, bool) {
	m.Role = a2a.RoleUser
	params, err := a2a.Marshal(a2a.SendMessageRequest{Message: m})
	if err != nil {
		t.Error(err)
		return a2a.Task{}, false
	}
	out := s.server.Call(t.Context(), "SendMessage", params, server.CallContext{
		Principal: alice, Extensions: []string{interaction.URI}, IdempotencyKey: key,
	})
	if out.Err != nil {
		t.Errorf("%s: %v %v", m.MessageID, out.Err, out.Err.Metadata)
		return a2a.Task{}, false
	}
	return *out.Result.(a2a.SendMessageResponse).Task, true
}
