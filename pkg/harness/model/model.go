// Package model is the port of language models: one call is one step of a turn.
//
// The loop (pkg/harness) makes every call and every retry, so that each is counted; an adapter
// makes one attempt and has no state between calls. What a step was told is kept whole: an
// adapter hands back the provider's own message beside the neutral one, and sends it again as it
// was while provider and model are the same.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Model makes calls of one endpoint. It is safe for concurrent use.
type Model interface {
	// Stream makes one call. text is told the answer's text as it comes; the answer is whole, or
	// there is an error: never a part of one without an error. An *[Error] says whether to try again.
	Stream(ctx context.Context, r Request, text func(string)) (*Response, error)
}

// Request is one call.
type Request struct {
	Model     string // as its endpoint knows it
	System    string
	Messages  []Message
	Tools     []Tool // in the order in which they are told, which is the same in every call of a turn
	MaxTokens int    // of the answer; zero: the endpoint's own bound
}

// Role says who a message is from.
type Role string

// The roles. Results of tools come from RoleTool, all those of one step in one message.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Message is one message of a turn.
type Message struct {
	Role    Role     `json:"role"`
	Text    string   `json:"text,omitempty"`
	Calls   []Call   `json:"calls,omitempty"`   // of RoleAssistant
	Results []Result `json:"results,omitempty"` // of RoleTool: one for each call before it, in its order
	// Raw is an assistant's message as its provider sent it, with what only that understands, such
	// as signed reasoning. From is that provider and model.
	Raw  json.RawMessage `json:"raw,omitempty"`
	From string          `json:"from,omitempty"`
}

// Call is a tool call that the model wants.
type Call struct {
	ID        string          `json:"id"` // the provider's, made up where it gave none
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"` // as the model wrote them: not necessarily JSON
}

// Result is what a call came to, as the model is told.
type Result struct {
	CallID string `json:"callId"`
	Text   string `json:"text"`
	Error  bool   `json:"error,omitempty"`
}

// Tool is a tool as the model is told of it.
type Tool struct {
	Name        string // 1–64 of A–Z, a–z, 0–9, _ and -
	Description string
	Schema      json.RawMessage // of its arguments
}

// Stop says why an answer ended.
type Stop string

// The reasons. After [StopLength] the calls of the answer are dropped: the last may be cut.
const (
	StopEnd      Stop = "end"      // it is said
	StopCalls    Stop = "calls"    // calls want results
	StopLength   Stop = "length"   // the answer met its bound
	StopFiltered Stop = "filtered" // the provider held something back
)

// Usage is what a call used, in tokens; zero where the provider does not say.
type Usage struct {
	Input  int `json:"input,omitempty"`
	Output int `json:"output,omitempty"`
}

// Response is a whole answer.
type Response struct {
	Message Message
	Stop    Stop
	Dropped bool // the answer wanted calls, which were dropped with its end
	Usage   Usage
}

// Kind says what is wrong with a call that failed.
type Kind string

// The kinds. The first two may pass.
const (
	KindBusy    Kind = "busy"    // 429, 5xx: try again, after RetryAfter if it is set
	KindCut     Kind = "cut"     // the connection or the answer ended early: try again
	KindContext Kind = "context" // the messages are too long for the model
	KindRefused Kind = "refused" // any other refusal: wrong key, unknown model, bad request
)

// Error is a failed call. Its text is for logs: it holds no key and nothing of the messages.
type Error struct {
	Kind       Kind
	Status     int // of HTTP, if there was an answer
	RetryAfter time.Duration
	Reason     string
}

func (e *Error) Error() string {
	return fmt.Sprintf("model: %s (HTTP %d): %s", e.Kind, e.Status, e.Reason)
}

// Passing reports whether trying again may help.
func (e *Error) Passing() bool { return e.Kind == KindBusy || e.Kind == KindCut }
