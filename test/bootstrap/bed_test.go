package bootstrap

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

const (
	lease = 6 * time.Second

	// visible is how long the worker hides a message: what bounds a takeover.
	visible = lease + 10*time.Second

	// patience bounds waits that a busy machine makes longer.
	patience = 90 * time.Second
)

// bed is a table and a queue of their own, for functions to work on.
type bed struct {
	testing.TB
	settings map[string]string // of every function
	sqs      *awssqs.Client
	queue    *string
	store    *dynamodb.Store
	api      *function
}

func newBed(t testing.TB) *bed {
	t.Helper()
	e := emulator.Shared(t)
	cfg := e.Account()
	keys, err := cfg.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	db := awsdynamodb.NewFromConfig(cfg)
	if _, err := db.CreateTable(t.Context(), dynamodb.Table("tasks")); err != nil {
		t.Fatal(err)
	}
	b := &bed{TB: t, sqs: awssqs.NewFromConfig(cfg), store: dynamodb.New(db, "tasks", dynamodb.Options{})}
	made, err := b.sqs.CreateQueue(t.Context(), &awssqs.CreateQueueInput{
		QueueName:  aws.String("turns"),
		Attributes: map[string]string{string(types.QueueAttributeNameVisibilityTimeout): "1800"}, // as in template.yaml
	})
	if err != nil {
		t.Fatal(err)
	}
	b.queue = made.QueueUrl
	b.settings = map[string]string{
		"AWS_REGION": emulator.Region, "AWS_ENDPOINT_URL": e.Endpoint,
		"AWS_ACCESS_KEY_ID": keys.AccessKeyID, "AWS_SECRET_ACCESS_KEY": keys.SecretAccessKey,
		"TABLE": "tasks", "QUEUE_URL": *b.queue, "LEASE": lease.String(),
		"SECRET_PARAMETER": "/interlude/secret", "AUTHENTICATION": "none", "PUBLIC_URL": "https://agents.example.com",
	}
	b.api = b.start("api", nil)
	return b
}

// start starts a function on the bed, with some settings of its own.
func (b *bed) start(name string, own map[string]string) *function {
	b.Helper()
	settings := maps.Clone(b.settings)
	maps.Copy(settings, own)
	return start(b.TB, name, settings)
}

// send sends a script and returns its task's key.
func (b *bed) send(script string) task.Key {
	b.Helper()
	return b.post(a2a.Message{MessageID: "m-1", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text(script)}}})
}

// approve answers what a paused task asks.
func (b *bed) approve(r *task.Record) {
	b.Helper()
	open, ok := r.Open()
	if !ok {
		b.Fatalf("task %s asks nothing", r.ID)
	}
	entry := fmt.Sprintf(`{"interactionId":%q,"approved":true}`, open.ID)
	b.post(a2a.Message{
		MessageID: "a-1", TaskID: r.ID, Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("go on")}},
		Extensions: []string{interaction.URI}, Metadata: a2a.Metadata{interaction.URI: json.RawMessage(entry)},
	})
}

// post sends a message through the API's bootstrap.
func (b *bed) post(m a2a.Message) task.Key {
	b.Helper()
	body, err := a2a.Marshal(a2a.SendMessageRequest{Message: m, Configuration: a2a.SendMessageConfiguration{ReturnImmediately: true}})
	if err != nil {
		b.Fatal(err)
	}
	status, reply, err := b.api.invoke(events.APIGatewayProxyRequest{
		HTTPMethod: http.MethodPost, Path: "/message:send", Body: string(body),
		MultiValueHeaders: map[string][]string{
			a2a.HeaderVersion: {a2a.ProtocolVersion}, a2a.HeaderExtensions: {interaction.URI}, "Content-Type": {a2a.MediaTypeJSON},
		},
	})
	var out a2a.SendMessageResponse
	if err != nil || status != http.StatusOK || json.Unmarshal(reply, &out) != nil || out.Task == nil {
		b.Fatalf("send: got %d %s, %v, want a task", status, reply, err)
	}
	return task.Key{Scope: task.Scope{Owner: "local"}, ID: out.Task.ID}
}

// await looks at a task until it is as wanted.
func (b *bed) await(k task.Key, what string, want func(*task.Record) bool) *task.Record {
	b.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.After(patience); ; {
		r, _, err := b.store.Read(b.Context(), k, task.Latest)
		if err != nil {
			b.Fatal(err)
		}
		if want(r) {
			return r
		}
		select {
		case <-end:
			b.Fatalf("the task is %+v, want one that %s", r, what)
		case <-look.C:
		}
	}
}

func (b *bed) awaitState(k task.Key, state a2a.TaskState) *task.Record {
	b.Helper()
	return b.await(k, "is "+string(state), func(r *task.Record) bool { return r.Status.State == state })
}

// within waits until c is closed.
func within(t testing.TB, c <-chan struct{}, what string) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatalf("waited for %s for %v", what, patience)
	}
}

// story is what a task's events say, in their order, and its revision.
func (b *bed) story(k task.Key) (said []string, revision uint64) {
	b.Helper()
	r, all, err := b.store.Read(b.Context(), k, 0)
	if err != nil {
		b.Fatal(err)
	}
	for i, e := range all {
		if e.Seq != uint64(i+1) {
			b.Errorf("event %d has number %d", i+1, e.Seq)
		}
		said = append(said, line(e))
	}
	return said, r.Revision
}

// line is an event in a few words.
func line(e task.Event) string {
	switch {
	case e.Message != nil:
		return e.Message.MessageID
	case e.Status != nil && e.Status.Message != nil:
		return fmt.Sprintf("%s: %s", e.Status.State, e.Status.Message.Parts[0].Content)
	case e.Status != nil:
		return string(e.Status.State)
	default:
		return fmt.Sprintf("%+v", e)
	}
}
