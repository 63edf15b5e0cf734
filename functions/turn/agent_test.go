package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/interlude-a2a/interlude/functions/internal/deployment"
	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// account is the part of AWS that keeps secrets: each parameter's value is its name, and missing
// ones are missing.
type account struct{ missing string }

func (a account) Do(r *http.Request) (*http.Response, error) {
	b, _ := io.ReadAll(r.Body)
	status, body := 200, fmt.Sprintf(`{"Parameter":{"Value":%q}}`, strings.Split(string(b), `"`)[3])
	if a.missing != "" && strings.Contains(string(b), a.missing) {
		status, body = 400, `{"__type":"ParameterNotFound"}`
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(body))}, nil
}

// run runs a task of alice's to its rest.
func run(t *testing.T, a agent.Agent) *task.Record {
	t.Helper()
	store := memory.New(memory.Options{})
	q := local.New(local.Options{})
	w, err := turn.New(turn.Options{Store: store, Queue: q, Agent: a, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	k := task.Key{Scope: task.Scope{Tenant: "acme", Owner: "alice"}, ID: task.NewTaskID()}
	r, events := task.Accept(task.Acceptance{
		Key: k, ContextID: "ctx", Born: task.NewID(), Principal: access.Principal{Tenant: "acme", Subject: "alice"},
		Message: a2a.Message{MessageID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("Go")}}},
	})
	if err := store.Create(t.Context(), r, events); err != nil {
		t.Fatal(err)
	}
	w.Handle(context.Background(), queue.Delivery{Poke: queue.Poke{Key: k}, Receipt: "r", Attempt: 1})
	if r, _, err = store.Read(t.Context(), k, task.Latest); err != nil {
		t.Fatal(err)
	}
	return r
}

// R-55, TEN-07: the model's key and the tool server's token come from where the settings say, for
// the principal of the run. Without a token a person is asked to connect.
func TestOpenAgent(t *testing.T) {
	t.Parallel()
	const owner = "2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90" // sha256 of alice
	var keys []string
	models := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keys = append(keys, r.Header.Get("Authorization"))
		io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"Hello.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	t.Cleanup(models.Close)
	broker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.Header.Get("Authorization") != "Bearer /broker" || string(b) != `{"tenant":"acme","owner":"alice","connection":"hub"}` {
			t.Errorf("the broker was asked %s by %q", b, r.Header.Get("Authorization"))
		}
		io.WriteString(w, `{"token":"brokered"}`)
	}))
	t.Cleanup(broker.Close)
	for _, tt := range []struct {
		name, tokens, token, missing string
		state                        a2a.TaskState
	}{
		{"parameters", "ssm:/t/{tenant}/{owner}/{connection}", "/t/acme/" + owner + "/hub", "", a2a.TaskStateCompleted},
		{"a broker", broker.URL, "brokered", "", a2a.TaskStateCompleted},
		{"none there", "ssm:/t/{connection}", "x", "/t/hub", a2a.TaskStateAuthRequired},
		{"none kept", "", "x", "", a2a.TaskStateAuthRequired},
	} {
		hub := httptest.NewServer(tracker.New(tracker.Options{Token: tt.token}))
		t.Cleanup(hub.Close)
		cloud := awsconfig.New(awsconfig.Options{Region: "eu-central-1", Getenv: func(string) string { return "x" }})
		cloud.HTTPClient = account{tt.missing}
		keys = nil
		a, wake, err := openAgent(deployment.Deployment{
			Cloud: cloud, Log: slog.New(slog.DiscardHandler),
			Config: lambda.Config{
				Agent: "a", Tokens: tt.tokens, BrokerKey: "ssm:/broker", Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
				Endpoints: map[string]lambda.Endpoint{"ours": {BaseURL: models.URL, Key: "ssm:/key"}}, ToolServers: map[string]string{"hub": hub.URL},
			},
		}, fstest.MapFS{"a/AGENT.md": {Data: []byte("---\nname: a\ndescription: d\nmodel: ours/m\nmcpServers: { hub: { url: \"https://hub.example\", connection: hub } }\n---\nDo it.")}})
		if err != nil {
			t.Fatal(err)
		}
		wake()
		if r := run(t, a); r.Status.State != tt.state {
			t.Errorf("%s: %s %+v, want %s", tt.name, r.Status.State, r.Status.Message, tt.state)
		}
		if tt.state == a2a.TaskStateCompleted && (len(keys) != 1 || keys[0] != "Bearer /key") {
			t.Errorf("%s: the model was called with keys %q", tt.name, keys)
		}
	}
}

// A setting that does not fit the agent stops the start, and is named.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	file := fstest.MapFS{"a/AGENT.md": {Data: []byte("---\nname: a\ndescription: d\nmcpServers: { hub: { url: \"https://hub.example\" } }\n---\nDo it.")}}
	for setting, c := range map[string]lambda.Config{
		"MODEL is \"nope/x\"":     {Agent: "a", Model: "nope/x"},
		"MODEL is \"\"":           {Agent: "a"},
		"TOOL_SERVERS":            {Agent: "a", Model: "ours/m", ToolServers: map[string]string{"typo": "https://x.example"}},
		"DENIED_TOOLS is \"hub\"": {Agent: "a", Model: "ours/m", DeniedTools: []string{"hub"}},
		"AGENT is \"b\"":          {Agent: "b", Model: "ours/m"},
	} {
		c.Endpoints = map[string]lambda.Endpoint{"ours": {BaseURL: "https://models.example/v1"}}
		cloud := awsconfig.New(awsconfig.Options{Region: "eu-central-1", Getenv: func(string) string { return "x" }})
		_, _, err := openAgent(deployment.Deployment{Cloud: cloud, Log: slog.New(slog.DiscardHandler), Config: c}, file)
		if err == nil || !strings.HasPrefix(err.Error(), setting) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, want %s", err, setting)
		}
	}
}
