//go:build live

package openai

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// A real endpoint, by OPENAI_BASE_URL, OPENAI_API_KEY and MODEL: text comes as it is written, a tool
// is called, and its result is taken.
func TestLive(t *testing.T) {
	name := strings.TrimPrefix(os.Getenv("MODEL"), "openai/")
	if os.Getenv("OPENAI_BASE_URL") == "" || name == "" {
		t.Fatal("set OPENAI_BASE_URL, MODEL and, if there is one, OPENAI_API_KEY")
	}
	c := New(Options{BaseURL: os.Getenv("OPENAI_BASE_URL"), MaxTokensField: os.Getenv("MAX_TOKENS_FIELD"),
		Key: func(context.Context, time.Time) (string, error) { return os.Getenv("OPENAI_API_KEY"), nil }})
	r := model.Request{
		Model: name, System: "Use the tool for every sum.", MaxTokens: 2000,
		Messages: []model.Message{{Role: model.RoleUser, Text: "How much is 17 + 25?"}},
		Tools: []model.Tool{{Name: "add", Description: "Adds two numbers.", Schema: json.RawMessage(
			`{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"number"}},"required":["a","b"]}`)}},
	}
	first, err := c.Stream(t.Context(), r, silent)
	if err != nil {
		t.Fatal(err)
	}
	if len(first.Message.Calls) != 1 || first.Message.Calls[0].Name != "add" || !json.Valid(first.Message.Calls[0].Arguments) {
		t.Fatalf("the model answered %+v, want one call of add", first.Message)
	}
	r.Messages = append(r.Messages, first.Message, model.Message{Role: model.RoleTool, Results: []model.Result{{CallID: first.Message.Calls[0].ID, Text: "42"}}})
	var streamed strings.Builder
	last, err := c.Stream(t.Context(), r, func(s string) { streamed.WriteString(s) })
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(last.Message.Text, "42") || streamed.String() != last.Message.Text || last.Usage.Input == 0 {
		t.Errorf("the model answered %+v after %q, using %+v", last.Message, streamed.String(), last.Usage)
	}
}
