package kill

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/test/process"
)

// STORE-12, LEASE-03: kill −9 while a turn works, then a restart: the task completes, once. The
// lease is the shortest, so that the takeover comes soon; CRASH=all takes the default.
func TestKill(t *testing.T) {
	t.Parallel()
	lease := "LEASE=6s"
	if os.Getenv("CRASH") == "all" {
		lease = "LEASE=30s"
	}
	bin, data := process.Build(t), t.TempDir()
	p := process.Start(t, bin, data, lease)
	id := send(t, p, `say begun; approve github/merge; piece one two; sleep 3s; artifact text done`)
	paused := await(t, p, id, a2a.TaskStateAuthRequired)

	p.Kill() // while it waits for a person
	p = process.Start(t, bin, data, lease)
	await(t, p, id, a2a.TaskStateAuthRequired)
	answer(t, p, paused)
	awaitThat(t, p, id, func(got a2a.Task) bool { return len(got.Artifacts) > 0 })

	p.Kill() // while it works, its call behind it: of that a person would be asked
	p = process.Start(t, bin, data, lease)
	done := await(t, p, id, a2a.TaskStateCompleted)
	if len(done.Artifacts) != 2 || len(done.Artifacts[0].Parts) != 2 {
		t.Errorf("artifacts: got %+v, want the pieces and the text, once each", done.Artifacts)
	}
	said := map[string]int{}
	for _, m := range done.History {
		said[m.MessageID]++
		if text, _ := m.Parts[0].Content.(a2a.Text); text == "Called github/merge" {
			said["call"]++
		}
	}
	if said["m-1"] != 1 || said["a-1"] != 1 || said["call"] != 1 {
		t.Errorf("history: got %v, want the message, the answer and the call once each", said)
	}
}

func send(t *testing.T, p *process.Process, script string) string {
	t.Helper()
	var out a2a.SendMessageResponse
	post(t, p, fmt.Sprintf(`{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":%q}]},"configuration":{"returnImmediately":true}}`, script), &out)
	return out.Task.ID
}

const uri = "https://docs.nylorun.com/a2a/interactions/v1"

func answer(t *testing.T, p *process.Process, paused a2a.Task) {
	t.Helper()
	var open struct {
		ID string `json:"interactionId"`
	}
	if err := json.Unmarshal(paused.Status.Message.Metadata[uri], &open); err != nil {
		t.Fatal(err)
	}
	var out a2a.SendMessageResponse
	post(t, p, fmt.Sprintf(`{"message":{"messageId":"a-1","taskId":%q,"role":"ROLE_USER","parts":[{"text":"go on"}],"extensions":[%q],"metadata":{%q:{"interactionId":%q,"approved":true}}},"configuration":{"returnImmediately":true}}`,
		paused.ID, uri, uri, open.ID), &out)
}

func post(t *testing.T, p *process.Process, body string, out any) {
	t.Helper()
	do(t, http.MethodPost, p.URL+"/message:send", body, out)
}

// await looks at a task until it is in a state.
func await(t *testing.T, p *process.Process, id string, want a2a.TaskState) a2a.Task {
	t.Helper()
	return awaitThat(t, p, id, func(got a2a.Task) bool { return got.Status.State == want })
}

// awaitThat looks at a task until it is as wanted.
func awaitThat(t *testing.T, p *process.Process, id string, want func(a2a.Task) bool) a2a.Task {
	t.Helper()
	var got a2a.Task
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.After(2 * time.Minute); ; {
		select {
		case <-end:
			t.Fatalf("the task is %s %+v, and not as wanted", got.Status.State, got.Status.Message)
		case <-look.C:
		}
		got = a2a.Task{}
		do(t, http.MethodGet, p.URL+"/tasks/"+id+"?historyLength=50", "", &got)
		if want(got) {
			return got
		}
	}
}

func do(t *testing.T, method, url, body string, out any) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewBufferString(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(a2a.HeaderVersion, a2a.ProtocolVersion)
	req.Header.Set(a2a.HeaderExtensions, uri)
	req.Header.Set("Content-Type", a2a.MediaTypeJSON)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	b, err := io.ReadAll(res.Body)
	if err != nil || res.StatusCode != http.StatusOK {
		t.Fatalf("%s %s: got %d %s, %v", method, url, res.StatusCode, b, err)
	}
	if err := json.Unmarshal(b, out); err != nil {
		t.Fatal(err)
	}
}
