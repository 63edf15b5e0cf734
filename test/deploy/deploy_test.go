package deploy

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/infra/stack"
)

// publicURL is what the card says.
const publicURL = "https://agents.example.com/interlude"

// patience bounds what waits for a lease to lapse.
const patience = 3 * time.Minute

// TestDeploy deploys the stack, calls it, and deploys a changed version over tasks that wait.
func TestDeploy(t *testing.T) {
	t.Parallel()
	e := start(t)
	source := copySource(t)
	s := &stack.Stack{
		Name: "interlude", Source: source, Build: t.TempDir(), Emulator: e,
		Parameters: map[string]string{"PublicUrl": publicURL}, // the emulation names no domain
	}
	outputs := deploy(t, s)
	url := strings.Replace(outputs["Url"], "https://", "", 1)
	api, _, _ := strings.Cut(url, ".")
	ann := caller{e.Endpoint + "/restapis/" + api + "/a2a/_user_request_", newUser(t, e.Endpoint, "ann")}
	bob := caller{ann.url, newUser(t, e.Endpoint, "bob")}

	t.Run("door", func(t *testing.T) { door(t, ann) })
	t.Run("tour", func(t *testing.T) { tour(t, ann, bob) })
	t.Run("README", func(t *testing.T) { readme(t, ann) })
	t.Run("tour by JSON-RPC", func(t *testing.T) { tourRPC(t, ann) })
	t.Run("idempotency key and pages", func(t *testing.T) { secret(t, bob) })
	t.Run("crash", func(t *testing.T) { crash(t, ann) })
	t.Run("dead letters", func(t *testing.T) { deadLetters(t, e, outputs) })
	t.Run("second version", func(t *testing.T) { secondVersion(t, s, ann) })
	t.Run("agent from a file", func(t *testing.T) { fromFile(t, s, ann) })
}

func start(t *testing.T) *emulator.Emulator {
	t.Helper()
	e, err := emulator.Start(t.Context(), emulator.Options{Services: emulator.All})
	if errors.Is(err, emulator.ErrNotInstalled) && os.Getenv("INTERLUDE_PEERS") != "required" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	return e
}

// copySource copies what is built, so that another version can be made of it.
func copySource(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join("..", "..")
	for _, name := range []string{"Makefile", "template.yaml", "go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"functions", "pkg", "cmd", "agents"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join(root, name))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func deploy(t *testing.T, s *stack.Stack) map[string]string {
	t.Helper()
	outputs, err := s.Deploy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return outputs
}

// The card is open, everything else is signed.
func door(t *testing.T, ann caller) {
	nobody := caller{url: ann.url}
	status, card := nobody.call(t, http.MethodGet, "/.well-known/agent-card.json", "")
	if status != http.StatusOK || !strings.Contains(string(card), `"url":"`+publicURL+`"`) {
		t.Errorf("card: %d %s", status, card)
	}
	if status, _ := nobody.call(t, http.MethodHead, "/.well-known/agent-card.json", ""); status != http.StatusOK {
		t.Errorf("head of the card: %d", status)
	}
	if status, answer := nobody.call(t, http.MethodPost, "/message:send", `{"message":`+text("m", "", "hi")+`}`); status != http.StatusForbidden && status != http.StatusUnauthorized {
		t.Errorf("unsigned: %d %s", status, answer)
	}
	if status, answer := ann.call(t, http.MethodGet, "/nowhere", ""); status != http.StatusNotFound || !strings.Contains(string(answer), `"error"`) {
		t.Errorf("unknown path: %d %s, want 404 from the function", status, answer)
	}
	if status, answer := ann.call(t, http.MethodPost, "/message:send", `{"message":`); status != http.StatusBadRequest {
		t.Errorf("broken JSON: %d %s", status, answer)
	}
}

const held = "approve github/create_pull_request; artifact text The pull request is open."

// send → held → text refused → answered → completed; another user sees nothing of it.
func tour(t *testing.T, ann, bob caller) {
	asked := ann.send(t, text("m-1", "", held))
	if asked.Status.State != "TASK_STATE_AUTH_REQUIRED" {
		t.Fatalf("state %s, want AUTH_REQUIRED", asked.Status.State)
	}
	status, answer := ann.call(t, http.MethodPost, "/message:send", `{"message":`+text("m-2", asked.ID, "yes")+`}`)
	if status != http.StatusBadRequest || !strings.Contains(string(answer), "UNSUPPORTED_OPERATION") {
		t.Errorf("yes: %d %s", status, answer)
	}
	for _, path := range []string{"/tasks/" + asked.ID, "/tasks/" + asked.ID + ":cancel"} {
		method := http.MethodGet
		if strings.HasSuffix(path, ":cancel") {
			method = http.MethodPost
		}
		if status, answer := bob.call(t, method, path, ""); status != http.StatusNotFound {
			t.Errorf("bob, %s: %d %s", path, status, answer)
		}
	}
	done := ann.send(t, asked.answer(`"approved":true`))
	if done.ID != asked.ID || done.Status.State != "TASK_STATE_COMPLETED" || len(done.Artifacts) != 1 {
		t.Errorf("answered: %+v", done)
	}
	if again := ann.send(t, asked.answer(`"approved":true`)); again.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("answered again: %+v", again)
	}
}

func tourRPC(t *testing.T, ann caller) {
	result, _ := ann.rpc(t, "SendMessage", `{"message":`+text("m-1", "", held)+`}`)
	var asked, done struct{ Task task }
	if err := json.Unmarshal(result, &asked); err != nil || asked.Task.Status.State != "TASK_STATE_AUTH_REQUIRED" {
		t.Fatalf("asked: %s %v", result, err)
	}
	if _, code := ann.rpc(t, "SendMessage", `{"message":`+text("m-2", asked.Task.ID, "yes")+`}`); code != -32004 {
		t.Errorf("yes: code %d, want -32004", code)
	}
	result, _ = ann.rpc(t, "SendMessage", `{"message":`+asked.Task.answer(`"approved":true`)+`}`)
	if err := json.Unmarshal(result, &done); err != nil || done.Task.ID != asked.Task.ID || done.Task.Status.State != "TASK_STATE_COMPLETED" {
		t.Errorf("done: %s %v", result, err)
	}
}

// both need the deployment's secret, which nobody made before.
func secret(t *testing.T, bob caller) {
	body := `{"message":` + text("m", "", "say hello") + `}`
	var ids []string
	for range 2 {
		status, answer := signed(t, bob.keys, "execute-api", http.MethodPost, bob.url+"/message:send", jsonType, body,
			"A2A-Version", "1.0", "Idempotency-Key", "k-1")
		var out struct{ Task task }
		if err := json.Unmarshal(answer, &out); status != http.StatusOK || err != nil {
			t.Fatalf("send: %d %s", status, answer)
		}
		ids = append(ids, out.Task.ID)
	}
	if ids[0] != ids[1] {
		t.Errorf("one key made two tasks: %v", ids)
	}
	bob.send(t, text("m-2", "", "say more"))
	seen := map[string]bool{}
	for token, n := "", 0; n == 0 || token != ""; n++ {
		status, answer := bob.call(t, http.MethodGet, "/tasks?pageSize=1&pageToken="+token, "")
		var page struct {
			Tasks         []task
			NextPageToken string
		}
		if err := json.Unmarshal(answer, &page); status != http.StatusOK || err != nil || n > 5 {
			t.Fatalf("list: %d %s", status, answer)
		}
		for _, tk := range page.Tasks {
			seen[tk.ID] = true
		}
		token = page.NextPageToken
	}
	if len(seen) != 2 {
		t.Errorf("pages show %d tasks, want 2", len(seen))
	}
}

// A slice that is lost is taken over, by the message that comes again.
func crash(t *testing.T, ann caller) {
	sent := ann.send(t, text("m-c", "", "crash; say survived"), `,"configuration":{"returnImmediately":true}`)
	ann.await(t, sent.ID, "TASK_STATE_COMPLETED")
}

// await polls until a task is in a state.
func (c caller) await(t *testing.T, id, state string) task {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(200 * time.Millisecond) {
		tk := c.get(t, id)
		if tk.Status.State == state {
			return tk
		}
		if time.Now().After(deadline) {
			t.Fatalf("task is %s after %v, want %s", tk.Status.State, patience, state)
		}
	}
}

// What is no poke ends with the dead letters and stops nothing.
func deadLetters(t *testing.T, e *emulator.Emulator, outputs map[string]string) {
	client := sqs.NewFromConfig(e.Config("000000000000"))
	// The real ones would take hours.
	policy := queueAttribute(t, client, outputs["TurnQueue"], "RedrivePolicy")
	var redrive map[string]any
	if err := json.Unmarshal([]byte(policy), &redrive); err != nil {
		t.Fatal(err)
	}
	redrive["maxReceiveCount"] = 2
	short, _ := json.Marshal(redrive)
	setQueue := func(policy, visible string) {
		_, err := client.SetQueueAttributes(t.Context(), &sqs.SetQueueAttributesInput{
			QueueUrl: aws.String(outputs["TurnQueue"]), Attributes: map[string]string{"RedrivePolicy": policy, "VisibilityTimeout": visible},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	setQueue(string(short), "1")
	defer setQueue(policy, "1800")
	if _, err := client.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(outputs["TurnQueue"]), MessageBody: aws.String("no poke")}); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(patience); queueAttribute(t, client, outputs["DeadLetters"], "ApproximateNumberOfMessages") != "1"; time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no dead letter after %v", patience)
		}
	}
}

func queueAttribute(t *testing.T, client *sqs.Client, queue, name string) string {
	t.Helper()
	out, err := client.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: &queue, AttributeNames: []types.QueueAttributeName{types.QueueAttributeName(name)}})
	if err != nil {
		t.Fatal(err)
	}
	return out.Attributes[name]
}

// waiting is how many tasks wait while another version is deployed.
const waiting = 20

// secondVersion deploys a changed program over tasks that wait for people.
func secondVersion(t *testing.T, s *stack.Stack, ann caller) {
	var asked []task
	for n := range waiting {
		tk := ann.send(t, text(fmt.Sprint("w-", n), "", held))
		if tk.Status.State != "TASK_STATE_AUTH_REQUIRED" {
			t.Fatalf("task %d is %s", n, tk.Status.State)
		}
		asked = append(asked, tk)
	}
	card := filepath.Join(s.Source, "pkg/agent/agenttest/card.go")
	changed := exec.Command("sed", "-i.bak", `s/"1\.0\.0"/"2.0.0"/`, card)
	if out, err := changed.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	deploy(t, s)
	if _, card := ann.call(t, http.MethodGet, "/.well-known/agent-card.json", ""); !strings.Contains(string(card), `"version":"2.0.0"`) {
		t.Fatalf("the second version does not serve: %s", card)
	}
	for n, tk := range asked {
		if done := ann.send(t, tk.answer(`"approved":true`)); done.ID != tk.ID || done.Status.State != "TASK_STATE_COMPLETED" {
			t.Errorf("task %d: %+v", n, done)
		}
	}
}
