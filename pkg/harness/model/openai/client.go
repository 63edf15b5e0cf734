// Package openai is the models of any endpoint that speaks OpenAI's chat completions: OpenAI itself,
// Ollama, llama.cpp, vLLM, OpenRouter and others.
//
// They differ in details, so the adapter believes little: whether calls are wanted is told by the
// calls, not by the reason of the end; a piece of a call belongs to the call of its id, or else of
// its index; an answer that ends without saying so was cut. What a provider adds to its messages
// is kept and sent back as it was, to the model that said it.
package openai

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// Options configure a [Client]. BaseURL is required.
type Options struct {
	BaseURL string // such as https://api.openai.com/v1
	// Key is asked before each call for a key as it was no earlier than since, and for a newer one
	// if it is refused; nil or an empty one: none is sent.
	Key func(ctx context.Context, since time.Time) (string, error)
	// HTTP makes the calls; default a client that follows no redirects. A deployment guards its
	// addresses.
	HTTP *http.Client
	// MaxTokensField names the bound of an answer; default max_completion_tokens. Older servers
	// know max_tokens.
	MaxTokensField string
	// Idle is how long a stream may say nothing; default 90 s.
	Idle time.Duration
}

// Client is a [model.Model]. It is safe for concurrent use.
type Client struct{ o Options }

var _ model.Model = (*Client)(nil)

const (
	defaultField = "max_completion_tokens"
	defaultIdle  = 90 * time.Second
	maxRefusal   = 64 << 10 // bytes of an error that are read
)

// MaxAnswer is the most bytes of a stream, which takes some hundreds for each token. The client that
// makes the calls has to let as many pass.
const MaxAnswer = 16 << 20

// New is the client of an endpoint. Nobody is called.
func New(o Options) *Client {
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if o.HTTP == nil {
		o.HTTP = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	if o.MaxTokensField == "" {
		o.MaxTokensField = defaultField
	}
	if o.Idle == 0 {
		o.Idle = defaultIdle
	}
	return &Client{o}
}

// Stream implements [model.Model].
func (c *Client) Stream(ctx context.Context, r model.Request, text func(string)) (*model.Response, error) {
	body, err := json.Marshal(c.request(r))
	if err != nil {
		return nil, &model.Error{Kind: model.KindRefused, Reason: "the request is not JSON"}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.o.BaseURL+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, &model.Error{Kind: model.KindRefused, Reason: "the endpoint's URL is wrong"}
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	key, err := c.key(ctx, time.Time{})
	if err != nil {
		return nil, err
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	idle := time.AfterFunc(c.o.Idle, cancel)
	defer idle.Stop()
	resp, err := c.o.HTTP.Do(req)
	switch {
	case errors.Is(err, netguard.ErrRefused):
		return nil, &model.Error{Kind: model.KindRefused, Reason: "the endpoint's address may not be reached"}
	case err != nil:
		return nil, &model.Error{Kind: model.KindCut, Reason: "the endpoint could not be reached"}
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		e := refusal(resp)
		if e.Status == http.StatusUnauthorized && c.replaced(ctx, key) {
			e.Kind = model.KindBusy // the next call has the new one
		}
		return nil, e
	}
	a := assembly{text: text, from: c.from(r.Model)}
	stream := &heard{io.LimitReader(resp.Body, MaxAnswer), func() { idle.Reset(c.o.Idle) }}
	for event, err := range events(stream) {
		if err != nil {
			return nil, &model.Error{Kind: model.KindCut, Reason: "the stream broke"}
		}
		if err := a.add(event); err != nil {
			return nil, err
		}
		if a.done {
			break // some keep the connection open behind it
		}
	}
	return a.whole()
}

// heard is a stream that tells whenever something comes, keep-alive comments too.
type heard struct {
	io.Reader
	some func()
}

func (h *heard) Read(p []byte) (int, error) {
	n, err := h.Reader.Read(p)
	if n > 0 {
		h.some()
	}
	return n, err
}

func (c *Client) key(ctx context.Context, since time.Time) (string, error) {
	if c.o.Key == nil {
		return "", nil
	}
	return c.o.Key(ctx, since)
}

// replaced reports whether key is not the newest.
func (c *Client) replaced(ctx context.Context, key string) bool {
	newest, err := c.key(ctx, time.Now())
	return err == nil && newest != key
}

// from names provider and model, which alone understand what they added to their messages.
func (c *Client) from(name string) string { return c.o.BaseURL + " " + name }

// refusal reads an endpoint's error. Of its text only what tells kinds apart is used: it may repeat
// the request.
func refusal(resp *http.Response) *model.Error {
	b, _ := io.ReadAll(io.LimitReader(resp.Body, maxRefusal))
	e := &model.Error{Kind: model.KindRefused, Status: resp.StatusCode, Reason: resp.Status}
	switch {
	case resp.StatusCode == http.StatusTooManyRequests || resp.StatusCode >= 500:
		e.Kind, e.RetryAfter = model.KindBusy, retryAfter(resp.Header.Get("Retry-After"))
	case resp.StatusCode == http.StatusRequestEntityTooLarge || tooLong(string(b)):
		e.Kind = model.KindContext
	}
	var said struct{ Error struct{ Code, Type any } }
	if json.Unmarshal(b, &said) == nil {
		if code, ok := said.Error.Code.(string); ok {
			e.Reason += ", " + code[:min(len(code), 64)]
		}
	}
	return e
}

// tooLong finds how endpoints say that the messages don't fit.
func tooLong(body string) bool {
	body = strings.ToLower(body)
	for _, words := range []string{"context_length_exceeded", "context length", "context window", "maximum context", "too many tokens", "prompt is too long"} {
		if strings.Contains(body, words) {
			return true
		}
	}
	return false
}

// retryAfter reads seconds or a date.
func retryAfter(v string) time.Duration {
	if d, err := time.ParseDuration(v + "s"); err == nil && d > 0 {
		return d
	}
	if at, err := http.ParseTime(v); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// errStreamed is an error that a stream carried.
func errStreamed(code string) error {
	e := &model.Error{Kind: model.KindBusy, Reason: "the endpoint failed in mid-stream"}
	if tooLong(code) {
		e.Kind = model.KindContext
	}
	return e
}

var errTooLong = errors.New("openai: a line of the stream is too long")
