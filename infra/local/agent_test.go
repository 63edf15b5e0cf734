package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/infra/local/system"
	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
)

// coder serves agents/coder with its scripted model, over a tracker of its own.
func coder(t *testing.T) *httptest.Server {
	t.Helper()
	a, stop, err := openAgent(settings{agent: "../../agents/coder"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	sys, err := system.Open(system.Options{Agent: a.agent, Card: a.card, URL: "http://localhost", HeldCalls: true})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { sys.Run(ctx) })
	s := httptest.NewServer(sys)
	t.Cleanup(func() { s.Close(); cancel(); wg.Wait(); sys.Close() })
	return s
}

const interactions = "https://docs.nylorun.com/a2a/interactions/v1"

type answered struct {
	Task struct {
		ID     string
		Status struct {
			State   string
			Message struct {
				Parts    []struct{ Text string }
				Metadata map[string]struct{ InteractionID string }
			}
		}
		Artifacts []struct{ Parts []struct{ Text string } }
	}
}

func send(t *testing.T, s *httptest.Server, message string) (out answered, raw string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.URL+"/message:send", strings.NewReader(`{"message":`+message+`,"configuration":{"historyLength":50}}`))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"A2A-Version": "1.0", "Content-Type": "application/json", "A2A-Extensions": interactions} {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	if err := json.Unmarshal(b, &out); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%d %s", resp.StatusCode, b)
	}
	return out, string(b)
}

func words(id, text string) string {
	return `{"messageId":"` + id + `","role":"ROLE_USER","parts":[{"text":"` + text + `"}]}`
}

func (a answered) answer(field string) string {
	id := a.Task.Status.Message.Metadata[interactions].InteractionID
	return `{"messageId":"answer:` + id + `","taskId":"` + a.Task.ID + `","role":"ROLE_USER","parts":[{"data":{}}],"extensions":["` + interactions +
		`"],"metadata":{"` + interactions + `":{"interactionId":"` + id + `",` + field + `}}}`
}

func get(t *testing.T, url string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("A2A-Version", "1.0")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// HARN-06: an agent from its file, its tools over MCP, its approval by a person. R-08: what the call
// would do is told nowhere.
func TestCoder(t *testing.T) {
	t.Parallel()
	s := coder(t)
	held, raw := send(t, s, words("m-1", "Please open a pull request"))
	if held.Task.Status.State != "TASK_STATE_AUTH_REQUIRED" || held.Task.Status.Message.Parts[0].Text != "Approve tracker / create_pull_request?" {
		t.Fatalf("got %s", raw)
	}
	if strings.Contains(raw, "Fix the login") {
		t.Errorf("the held call's arguments are told: %s", raw)
	}
	id := held.Task.Status.Message.Metadata[interactions].InteractionID
	for path, want := range map[string]string{
		"/tasks/" + held.Task.ID + "/interactions/" + id + "/call":      `"arguments":{"branch":"fix-login","issue":1,"title":"Fix the login"}`,
		"/tasks/" + held.Task.ID + "/interactions/" + id + ".2/call":    "UNSUPPORTED_OPERATION",
		"/tasks/" + held.Task.ID + "x/interactions/" + id + "/call":     "TASK_NOT_FOUND",
		"/tasks/" + held.Task.ID + "/interactions/" + id + "/arguments": "METHOD_NOT_FOUND",
	} {
		if got := get(t, s.URL+path); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	done, raw := send(t, s, held.answer(`"approved":true`))
	if done.Task.Status.State != "TASK_STATE_COMPLETED" || len(done.Task.Artifacts) != 1 || done.Task.Artifacts[0].Parts[0].Text == "" {
		t.Errorf("got %s", raw)
	}
}

// INT-14, CONN-06, INT-15: denied, connected, answered.
func TestCoderWaits(t *testing.T) {
	t.Parallel()
	s := coder(t)
	for _, tt := range []struct{ ask, state, field, want string }{
		{"open a pull request", "TASK_STATE_AUTH_REQUIRED", `"approved":false`, "tool.denied"},
		{"connect it", "TASK_STATE_AUTH_REQUIRED", `"value":{"connected":true}`, "Connected: github"},
		{"ask me", "TASK_STATE_INPUT_REQUIRED", `"value":7`, "You said 7."},
	} {
		asked, raw := send(t, s, words("m-"+tt.ask[:3], tt.ask))
		if asked.Task.Status.State != tt.state {
			t.Fatalf("%s: got %s", tt.ask, raw)
		}
		done, raw := send(t, s, asked.answer(tt.field))
		if done.Task.Status.State != "TASK_STATE_COMPLETED" || !strings.Contains(done.Task.Artifacts[0].Parts[0].Text, tt.want) {
			t.Errorf("%s: got %s, want %q", tt.ask, raw, tt.want)
		}
	}
}

// What is no agent is told by the setting's name.
func TestWrongAgent(t *testing.T) {
	t.Parallel()
	for _, folder := range []string{"nowhere", "."} {
		_, _, err := openAgent(settings{agent: folder})
		if err == nil || !strings.HasPrefix(err.Error(), "AGENT is \""+folder+"\", neither test nor a folder with an AGENT.md") {
			t.Errorf("%s: got %v", folder, err)
		}
	}
}

// The tracker of this machine stands for what a file says is on it, and for nothing else of its name.
func TestTrackers(t *testing.T) {
	t.Parallel()
	at, stop, err := trackers(&definition.Definition{Servers: map[string]definition.Server{
		"mine": {URL: tracker.URL}, "again": {URL: tracker.URL}, "tracker": {URL: "https://tracker.example.com/mcp"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	if len(at) != 2 || at["mine"] == "" || at["again"] != at["mine"] {
		t.Errorf("got %v", at)
	}
	_, _, err = openAgent(settings{agent: "../../agents/coder", model: "openai/x"})
	if err == nil || !strings.Contains(err.Error(), "MODEL") {
		t.Errorf("a model without an endpoint: got %v", err)
	}
}
