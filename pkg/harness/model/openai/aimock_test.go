package openai

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// aimock starts an endpoint that others wrote, and returns its address.
func aimock(t *testing.T) string {
	t.Helper()
	node := os.Getenv("INTERLUDE_NODE")
	if node == "" {
		if os.Getenv("INTERLUDE_PEERS") == "required" {
			t.Fatal("INTERLUDE_NODE is not set, want it from infra/tools/with.py")
		}
		t.Skip("no endpoint to test with: make test provides it")
	}
	cmd := exec.CommandContext(t.Context(), node, "testdata/aimock.mjs")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Wait() })
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "http") {
			return lines.Text()
		}
	}
	t.Fatal("aimock did not say where it listens")
	return ""
}

// The wire as others understand it: text, two calls, their results, and the answer.
func TestAimock(t *testing.T) {
	t.Parallel()
	c := New(Options{BaseURL: aimock(t) + "/v1"})
	r := model.Request{
		Model: "gpt-5", System: "Be brief.", MaxTokens: 100,
		Messages: []model.Message{{Role: model.RoleUser, Text: "How is the weather?"}},
		Tools:    []model.Tool{{Name: "get_weather", Description: "Tells the weather.", Schema: []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`)}},
	}
	first, err := c.Stream(t.Context(), r, silent)
	if err != nil {
		t.Fatal(err)
	}
	calls := first.Message.Calls
	if first.Stop != model.StopCalls || len(calls) != 2 || string(calls[0].Arguments) != `{"city":"Kyiv"}` || calls[0].ID == calls[1].ID || calls[0].Name != "get_weather" {
		t.Fatalf("got %+v", first)
	}
	r.Messages = append(r.Messages, first.Message, model.Message{Role: model.RoleTool, Results: []model.Result{
		{CallID: calls[0].ID, Text: "sunny"}, {CallID: calls[1].ID, Text: "sunny"},
	}})
	var told strings.Builder
	second, err := c.Stream(t.Context(), r, func(s string) { told.WriteString(s) })
	if err != nil || second.Message.Text != "It is sunny in both." || told.String() != second.Message.Text || second.Stop != model.StopEnd {
		t.Errorf("got %+v, %v, told %q", second, err, told.String())
	}
}
