package peers

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/interlude-a2a/interlude/test/process"
)

// TestGoSDK runs the official Go SDK's client on each binding: SPEC-07, SPEC-08, INT-12, R-22, ERR-01 as
// it reads them.
func TestGoSDK(t *testing.T) {
	t.Parallel()
	url := process.Start(t, process.Build(t), t.TempDir()).URL
	card, err := agentcard.NewResolver(nil).Resolve(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	if !card.Capabilities.Streaming || card.Capabilities.PushNotifications || len(card.SupportedInterfaces) != 3 {
		t.Errorf("card: %+v with %d interfaces", card.Capabilities, len(card.SupportedInterfaces))
	}
	for _, binding := range []a2a.TransportProtocol{a2a.TransportProtocolJSONRPC, a2a.TransportProtocolHTTPJSON, a2a.TransportProtocolGRPC} {
		t.Run(string(binding), func(t *testing.T) {
			t.Parallel()
			c, err := a2aclient.NewFromCard(t.Context(), card, a2agrpc.WithGRPCTransport(grpc.WithTransportCredentials(insecure.NewCredentials())),
				a2aclient.WithConfig(a2aclient.Config{PreferredTransports: []a2a.TransportProtocol{binding}}))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { c.Destroy() })
			p := peer{t, c, binding}
			p.sends()
			p.streams()
			p.pauses()
			p.lists()
			p.refuses()
		})
	}
}

type peer struct {
	*testing.T
	client  *a2aclient.Client
	binding a2a.TransportProtocol
}

func words(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

// send sends a script that must yield a task.
func (p peer) send(r *a2a.SendMessageRequest) *a2a.Task {
	p.Helper()
	out, err := p.client.SendMessage(p.Context(), r)
	if err != nil {
		p.Fatal(err)
	}
	task, ok := out.(*a2a.Task)
	if !ok {
		p.Fatalf("got %T, want a task", out)
	}
	return task
}

func (p peer) sends() {
	p.Helper()
	done := p.send(words(`artifact data {"n": [1, null]}; say done`))
	if done.Status.State != a2a.TaskStateCompleted || len(done.Artifacts) != 1 {
		p.Errorf("sent: %+v", done)
	}
	got, err := p.client.GetTask(p.Context(), &a2a.GetTaskRequest{ID: done.ID})
	if err != nil || got.Status.State != a2a.TaskStateCompleted {
		p.Errorf("get: %+v, %v", got, err)
	}
	if out, err := p.client.SendMessage(p.Context(), words("message hi")); err != nil {
		p.Error(err)
	} else if m, ok := out.(*a2a.Message); !ok || m.Parts[0].Text() != "hi" {
		p.Errorf("a bare message: %+v", out)
	}
	soon := words("sleep 300ms; say done")
	soon.Config = &a2a.SendMessageConfig{ReturnImmediately: true}
	if task := p.send(soon); task.Status.State.Terminal() {
		p.Errorf("at once: %s", task.Status.State)
	}
}

// kinds are a stream's events in a word each, and its task.
func (p peer) kinds(events func(func(a2a.Event, error) bool)) (kinds []string, id a2a.TaskID) {
	p.Helper()
	for e, err := range events {
		if err != nil {
			p.Fatalf("after %v: %v", kinds, err)
		}
		switch e := e.(type) {
		case *a2a.Task:
			id = e.ID
			kinds = append(kinds, "task")
		case *a2a.TaskStatusUpdateEvent:
			kinds = append(kinds, string(e.Status.State))
		case *a2a.TaskArtifactUpdateEvent:
			kinds = append(kinds, "artifact")
		default:
			kinds = append(kinds, fmt.Sprintf("%T", e))
		}
	}
	return kinds, id
}

func (p peer) want(what string, got []string, want ...string) {
	p.Helper()
	if !slices.Equal(got, want) {
		p.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func (p peer) streams() {
	p.Helper()
	const working, done = "TASK_STATE_WORKING", "TASK_STATE_COMPLETED"
	got, _ := p.kinds(p.client.SendStreamingMessage(p.Context(), words("say one; piece a b; artifact text x; say done")))
	p.want("stream", got, "task", working, working, "artifact", "artifact", "artifact", done)

	open := p.send(words("ask Which?; say done"))
	answered := make(chan struct{})
	subscribed := func(yield func(a2a.Event, error) bool) {
		for e, err := range p.client.SubscribeToTask(p.Context(), &a2a.SubscribeToTaskRequest{ID: open.ID}) {
			if _, first := e.(*a2a.Task); first {
				go func() { // another call answers while this one looks on
					defer close(answered)
					r := words("this")
					r.Message.TaskID = open.ID
					if _, err := p.client.SendMessage(p.Context(), r); err != nil {
						p.Error(err)
					}
				}()
			}
			if !yield(e, err) {
				return
			}
		}
	}
	got, _ = p.kinds(subscribed)
	<-answered
	p.want("subscription", got, "task", working, working, done)
}

func (p peer) pauses() {
	p.Helper()
	got, id := p.kinds(p.client.SendStreamingMessage(p.Context(), words("ask Which?; say done")))
	p.want("paused", got, "task", "TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED")
	answer := words("this")
	answer.Message.TaskID = id
	if done := p.send(answer); done.ID != id || done.Status.State != a2a.TaskStateCompleted {
		p.Errorf("answered: %+v", done)
	}
}

func (p peer) lists() {
	p.Helper()
	contextID := "list-" + a2a.NewMessageID()
	var want []a2a.TaskID
	for range 5 {
		r := words("say done")
		r.Message.ContextID = contextID
		want = append([]a2a.TaskID{p.send(r).ID}, want...)
	}
	var got []a2a.TaskID
	for token := ""; ; {
		page, err := p.client.ListTasks(p.Context(), &a2a.ListTasksRequest{ContextID: contextID, PageSize: 2, PageToken: token})
		if err != nil || len(page.Tasks) == 0 || len(page.Tasks) > 2 {
			p.Fatalf("list: %+v, %v", page, err)
		}
		for _, task := range page.Tasks {
			got = append(got, task.ID)
		}
		if token = page.NextPageToken; token == "" {
			break
		}
	}
	if !slices.Equal(got, want) {
		p.Errorf("list: got %v, want the newest first: %v", got, want)
	}
}

func (p peer) refuses() {
	p.Helper()
	done := p.send(words("say done"))
	more := words("more")
	more.Message.TaskID = done.ID
	for what, tt := range map[string]struct {
		call func() error
		want error
	}{
		"get": {func() error { _, err := p.client.GetTask(p.Context(), &a2a.GetTaskRequest{ID: "t1.none"}); return err }, a2a.ErrTaskNotFound},
		"cancel": {func() error {
			_, err := p.client.CancelTask(p.Context(), &a2a.CancelTaskRequest{ID: done.ID})
			return err
		}, a2a.ErrTaskNotCancelable},
		"a finished task": {func() error { _, err := p.client.SendMessage(p.Context(), more); return err }, a2a.ErrUnsupportedOperation},
		"subscribe": {func() (failed error) {
			for _, err := range p.client.SubscribeToTask(p.Context(), &a2a.SubscribeToTaskRequest{ID: done.ID}) {
				failed = err
			}
			return failed
		}, a2a.ErrUnsupportedOperation},
	} {
		// The SDK's JSON-RPC client takes a plain answer to a stream for an empty stream.
		if what == "subscribe" && p.binding == a2a.TransportProtocolJSONRPC {
			continue
		}
		if err := tt.call(); !errors.Is(err, tt.want) {
			p.Errorf("%s: got %v, want %v", what, err, tt.want)
		}
	}
	open := p.send(words("ask Which?"))
	if got, err := p.client.CancelTask(p.Context(), &a2a.CancelTaskRequest{ID: open.ID}); err != nil || got.Status.State != a2a.TaskStateCanceled {
		p.Errorf("cancel: %+v, %v", got, err)
	}
}
