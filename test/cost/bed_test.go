package cost

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"testing"
	"time"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
	"github.com/interlude-a2a/interlude/pkg/turn"
	"github.com/interlude-a2a/interlude/test/meter"
)

// bed is the system over a table and a queue of its own, metered.
type bed struct {
	testing.TB
	meter  *meter.Meter
	store  *dynamodb.Store
	queue  *sqs.Queue
	server *server.Server
	worker *turn.Worker

	plain *sqs.Queue // receives, as the event source does, unmetered
	sent  int
	last  a2a.Task
	held  *task.Record
	got   queue.Delivery
}

var alice = access.Principal{Subject: "arn:aws:iam::123456789012:user/alice", Method: "iam"}

func newBed(t testing.TB) *bed {
	t.Helper()
	made, err := emulator.Shared(t).NewBed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b := &bed{TB: t, meter: meter.New(), plain: sqs.New(awssqs.NewFromConfig(made.Config), made.QueueURL)}
	metered := made.Config.Copy()
	b.meter.Attach(&metered)
	b.store = dynamodb.New(awsdynamodb.NewFromConfig(metered), made.Table, dynamodb.Options{})
	b.queue = sqs.New(awssqs.NewFromConfig(metered), made.QueueURL)
	log := slog.New(slog.DiscardHandler)
	b.worker, err = turn.New(turn.Options{Store: b.store, Queue: b.queue, Agent: &agenttest.Agent{}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	b.server, err = server.New(server.Options{
		Store: b.store, Queue: b.queue, Card: agenttest.Card, Secret: server.Static(make([]byte, 32)), Log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// measure runs an operation and returns its bill.
func (b *bed) measure(o operation) meter.Bill {
	b.Helper()
	if o.first != nil {
		o.first(b)
	}
	b.meter.Reset()
	o.run(b)
	return b.meter.Bill()
}

func (b *bed) call(method, params string) server.Outcome {
	b.Helper()
	return b.server.Call(b.Context(), method, json.RawMessage(params), server.CallContext{
		Principal: alice, Extensions: []string{interaction.URI},
	})
}

func (b *bed) task(method, params string) {
	b.Helper()
	out := b.call(method, params)
	if out.Err != nil {
		b.Fatalf("%s: %v", method, out.Err)
	}
	switch r := out.Result.(type) {
	case a2a.SendMessageResponse:
		b.last = *r.Task
	case a2a.Task:
		b.last = r
	default:
		b.Fatalf("%s: got %T", method, r)
	}
}

func (b *bed) message(m a2a.Message) {
	b.Helper()
	params, err := a2a.Marshal(a2a.SendMessageRequest{Message: m, Configuration: a2a.SendMessageConfiguration{ReturnImmediately: true}})
	if err != nil {
		b.Fatal(err)
	}
	b.task("SendMessage", string(params))
}

func (b *bed) send(text string) {
	b.Helper()
	b.sent++
	b.message(a2a.Message{MessageID: fmt.Sprint("m-", b.sent), Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text(text)}}})
}

func (b *bed) sendMany(n int) {
	b.Helper()
	for range n {
		b.send(script)
	}
}

// fill puts tasks of the caller into the table that wait for a person and are none of the
// operations'.
func (b *bed) fill(tasks int) {
	b.Helper()
	const writers = 16
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range tasks / writers {
				r, events := paused(b)
				if err := b.store.Create(b.Context(), r, events); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// paused is a task that asked a question, made by the rules.
func paused(t testing.TB) (*task.Record, []task.Event) {
	now := time.Now()
	r, events := task.Accept(task.Acceptance{
		Key: task.Key{Scope: task.Scope{Owner: alice.Subject}, ID: task.NewTaskID()}, ContextID: task.NewID(),
		Principal: alice, Born: task.NewID(), At: now,
		Message: a2a.Message{MessageID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text(script)}}},
	})
	claim := task.Claim(r, task.Claiming{Now: now, Lease: task.Lease{ID: task.NewID(), Replica: "r", Until: now.Add(time.Second)}})
	r = claim.Apply(r)
	pause, err := task.Pause(r, []interaction.Interaction{interaction.NewQuestion("eff_q", "Which?")}, task.Step{}, task.Write{ID: task.NewID(), At: now})
	if err != nil {
		t.Fatal(err)
	}
	return pause.Apply(r), slices.Concat(events, claim.Events, pause.Events)
}

// receive takes the next message, unmetered.
func (b *bed) receive() queue.Delivery {
	b.Helper()
	for {
		ds, err := b.plain.Receive(b.Context(), 1, time.Minute)
		if err != nil {
			b.Fatal(err)
		}
		if ds[0].Poke.Key.ID == b.last.ID {
			return ds[0]
		}
	}
}

// slice works on the last task, for the message that pokes it.
func (b *bed) slice() {
	b.Helper()
	d := b.receive()
	if !b.worker.Handle(b.Context(), d) {
		b.Fatal("a slice was not done")
	}
	if err := b.plain.Delete(b.Context(), d.Receipt); err != nil {
		b.Fatal(err)
	}
}

func (b *bed) key() task.Key { return task.Key{Scope: task.Scope{Owner: alice.Subject}, ID: b.last.ID} }

// claim takes the last task as a worker that goes on does.
func (b *bed) claim() {
	b.Helper()
	b.got = b.receive()
	now := time.Now()
	r, err := b.store.Claim(b.Context(), b.key(), task.Claiming{Now: now, Lease: task.Lease{ID: task.NewID(), Replica: "r", Until: now.Add(turn.DefaultLease)}}, a2a.TaskStateSubmitted)
	if err != nil {
		b.Fatal(err)
	}
	b.held = r
}

func (b *bed) renew() {
	b.Helper()
	if err := b.store.Renew(b.Context(), b.key(), b.held.RunGuard(), time.Now().Add(turn.DefaultLease)); err != nil {
		b.Fatal(err)
	}
	if err := b.queue.Extend(b.Context(), b.got.Receipt, b.worker.Visible()); err != nil {
		b.Fatal(err)
	}
}

// look looks at the last task as a follower does who has all its events; listen, for text.
func (b *bed) look() {
	b.Helper()
	if _, _, err := b.store.Read(b.Context(), b.key(), 1_000); err != nil {
		b.Fatal(err)
	}
}

func (b *bed) listen() {
	b.Helper()
	all, err := b.store.Said(b.Context(), b.key(), task.TextMark{Fence: b.held.Fence})
	if err != nil || len(all) != 1 {
		b.Fatalf("got %v, %v, want the piece that was said", all, err)
	}
}

// say writes a tenth of a second of text.
func (b *bed) say() {
	b.Helper()
	text := task.Text{Artifact: "a", Text: "These are some forty characters of text.", TextMark: task.TextMark{Fence: b.held.Fence, Attempt: 1, Piece: 1}}
	if err := b.store.Say(b.Context(), b.key(), text); err != nil {
		b.Fatal(err)
	}
}

func (b *bed) get() { b.task("GetTask", `{"id":"`+b.last.ID+`"}`) }

func (b *bed) cancel() { b.task("CancelTask", `{"id":"`+b.last.ID+`"}`) }

func (b *bed) list(params string) {
	b.Helper()
	if out := b.call("ListTasks", params); out.Err != nil {
		b.Fatal(out.Err)
	}
}

func (b *bed) sayYes() {
	b.Helper()
	out := b.call("SendMessage", `{"message":{"messageId":"yes","taskId":"`+b.last.ID+`","role":"ROLE_USER","parts":[{"text":"yes"}]}}`)
	if out.Err == nil || out.Err.Code != a2a.CodeUnsupportedOperation {
		b.Fatalf("yes: got %v", out.Err)
	}
}

// answer approves what the last task asks, or asked.
func (b *bed) answer() {
	b.Helper()
	r, _, err := b.store.Read(context.WithoutCancel(b.Context()), b.key(), task.Latest)
	if err != nil {
		b.Fatal(err)
	}
	id := ""
	if open, ok := r.Open(); ok {
		id = open.ID
	}
	for _, seen := range r.Seen {
		id = seen.Interaction
	}
	b.meter.Reset() // that read was this test's
	entry, _ := a2a.Marshal(map[string]any{"interactionId": id, "approved": true})
	b.message(a2a.Message{
		MessageID: "answer:" + id, TaskID: b.last.ID, Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Data("{}")}},
		Extensions: []string{interaction.URI}, Metadata: a2a.Metadata{interaction.URI: entry},
	})
}

func (b *bed) recover() {
	b.Helper()
	if _, err := turn.Recover(b.Context(), b.store, b.queue, time.Now(), turn.DefaultRecoverLimit); err != nil {
		b.Fatal(err)
	}
}
