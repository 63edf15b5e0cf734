package kill

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/test/process"
)

// folder is an agent that comments on an issue, through a tool server of the test's.
func folder(t *testing.T, hub, effects string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"AGENT.md":    "---\nname: commenter\ndescription: Comments.\nmcpServers: { hub: { url: \"" + hub + "/mcp\" } }\npermissions: { allow: [\"hub/*\"] }\n" + effects + "\n---\nComment.",
		"script.yaml": "- steps:\n    - calls: [{ tool: hub__comment, arguments: { number: 1, text: Hello } }]\n    - say: \"{result}\"\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// LEASE-03, R-32, R-33: a worker is stopped in the middle of a call until its lease has lapsed and
// another process has taken its task over; the call ends meanwhile, and the worker goes on. Nothing
// of what it knows counts any more.
func TestStop(t *testing.T) {
	t.Parallel()
	lease := "LEASE=6s"
	if os.Getenv("CRASH") == "all" {
		lease = "LEASE=30s"
	}
	bin := process.Build(t)
	const unknown = "tool.unknown: "
	for _, tt := range []struct {
		name, effects string
		answer        string // to whether the call is to be sent again; empty: nobody is asked
		calls         int    // that the server has seen in the end
		told          string // what the model's last words begin with
	}{
		{"write, not again", "", `false`, 1, unknown},
		{"write, again", "", `true`, 2, `{`},
		{"idempotent", "effects: { hub/comment: { class: idempotent } }", "", 2, `{`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			hub := tracker.New(tracker.Options{})
			s := httptest.NewServer(hub)
			t.Cleanup(s.Close)
			release := make(chan struct{})
			hub.Break("comment", tracker.Fault{Wait: release})
			data, agent := t.TempDir(), "AGENT="+folder(t, s.URL, tt.effects)
			first := process.Start(t, bin, data, lease, agent)
			id := send(t, first, "Go")
			called(t, hub, 1)
			first.Signal(t, syscall.SIGSTOP)
			t.Cleanup(func() { first.Signal(t, syscall.SIGCONT) }) // so that it can be ended

			second := process.Start(t, bin, data, lease, agent)
			state := a2a.TaskStateAuthRequired
			if tt.answer == "" {
				state = a2a.TaskStateWorking
				called(t, hub, 2) // sent again by itself, under the same id
			}
			before := await(t, second, id, state)
			hub.Break("comment", tracker.Fault{})
			close(release) // the first call has its answer
			if tt.answer != "" {
				wantAsked(t, before, hub)
			} else {
				before = await(t, second, id, a2a.TaskStateCompleted)
			}
			first.Signal(t, syscall.SIGCONT)
			unmoved(t, second, before)
			if tt.answer != "" {
				decide(t, second, before, tt.answer)
			}
			done := await(t, second, id, a2a.TaskStateCompleted)
			if got := string(done.Artifacts[0].Parts[0].Content.(a2a.Text)); len(done.Artifacts) != 1 || !strings.HasPrefix(got, tt.told) {
				t.Errorf("the model was told %q, want %s…", got, tt.told)
			}
			if got := hub.Calls("comment", ""); got != tt.calls {
				t.Errorf("the server has seen %d calls, want %d", got, tt.calls)
			}
			if ids := hub.Effects("comment"); len(ids) != 1 {
				t.Errorf("the calls had the ids %v, want one", ids)
			}
		})
	}
}

// called waits until the server has seen so many calls.
func called(t *testing.T, hub *tracker.Tracker, n int) {
	t.Helper()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.After(2 * time.Minute); hub.Calls("comment", "") < n; {
		select {
		case <-end:
			t.Fatalf("the server has seen %d calls, want %d", hub.Calls("comment", ""), n)
		case <-look.C:
		}
	}
}

// wantAsked checks that a person is asked, under a new id, and that nothing was sent again.
func wantAsked(t *testing.T, asked a2a.Task, hub *tracker.Tracker) {
	t.Helper()
	var open struct{ InteractionID, Prompt string }
	if err := json.Unmarshal(asked.Status.Message.Metadata[uri], &open); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(open.InteractionID, ".2") || open.Prompt != "hub / comment may already have run. Send it again?" {
		t.Errorf("a person is asked %+v", open)
	}
	if n := hub.Calls("comment", ""); n != 1 {
		t.Errorf("the server has seen %d calls, want one", n)
	}
}

// unmoved holds that a task stays as it is for longer than it takes the worker that woke up to write.
func unmoved(t *testing.T, p *process.Process, before a2a.Task) {
	t.Helper()
	want, err := a2a.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for end := time.After(3 * time.Second); ; {
		select {
		case <-end:
			return
		case <-look.C:
		}
		var now a2a.Task
		do(t, http.MethodGet, p.URL+"/tasks/"+before.ID+"?historyLength=50", "", &now)
		got, err := a2a.Marshal(now)
		if err != nil || string(got) != string(want) {
			t.Fatalf("the task became\n%s\nof\n%s, %v", got, want, err)
		}
	}
}

func decide(t *testing.T, p *process.Process, asked a2a.Task, approved string) {
	t.Helper()
	var open struct{ InteractionID string }
	if err := json.Unmarshal(asked.Status.Message.Metadata[uri], &open); err != nil {
		t.Fatal(err)
	}
	var out a2a.SendMessageResponse
	post(t, p, fmt.Sprintf(`{"message":{"messageId":"a-2","taskId":%q,"role":"ROLE_USER","parts":[{"data":{}}],"extensions":[%q],"metadata":{%q:{"interactionId":%q,"approved":%s}}},"configuration":{"returnImmediately":true}}`,
		asked.ID, uri, uri, open.InteractionID, approved), &out)
}
