package openai

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// endpoint answers each call with a body, and keeps what it was asked.
func endpoint(t *testing.T, answer func(w http.ResponseWriter, body string), options ...func(*Options)) *Client {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("%s with %q", r.URL.Path, r.Header.Get("Authorization"))
		}
		answer(w, string(b))
	}))
	t.Cleanup(s.Close)
	o := Options{BaseURL: s.URL + "/v1/", Key: func(context.Context, time.Time) (string, error) { return "key", nil }}
	for _, f := range options {
		f(&o)
	}
	return New(o)
}

// sse is events as a stream.
func sse(events ...string) string {
	return "data: " + strings.Join(events, "\n\ndata: ") + "\n\n"
}

func plays(body string) func(http.ResponseWriter, string) {
	return func(w http.ResponseWriter, _ string) { io.WriteString(w, body) }
}

var ask = model.Request{Model: "m", Messages: []model.Message{{Role: model.RoleUser, Text: "hi"}}}

func silent(string) {}

func choice(delta string) string { return `{"choices":[{"index":0,"delta":` + delta + `}]}` }

func end(reason string) string {
	return `{"choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// What servers send for the same answer.
func TestStream(t *testing.T) {
	t.Parallel()
	two := []model.Call{{ID: "a", Name: "get", Arguments: json.RawMessage(`{"n":1}`)}, {ID: "b", Name: "put", Arguments: json.RawMessage(`{}`)}}
	for name, tt := range map[string]struct {
		body  string
		text  string
		calls []model.Call
		stop  model.Stop
	}{
		"text":                        {sse(choice(`{"role":"assistant","content":"Hel"}`), choice(`{"content":"lo"}`), end("stop"), "[DONE]"), "Hello", nil, model.StopEnd},
		"without DONE":                {sse(choice(`{"content":"Hello"}`), end("stop")), "Hello", nil, model.StopEnd},
		"without a reason":            {sse(choice(`{"content":"Hello"}`), "[DONE]"), "Hello", nil, model.StopEnd},
		"without the last empty line": {strings.TrimSpace(sse(choice(`{"content":"Hello"}`), "[DONE]")), "Hello", nil, model.StopEnd},
		"CRLF and comments":           {": ping\r\n\r\ndata: " + choice(`{"content":"Hello"}`) + "\r\n\r\nevent: x\r\ndata:[DONE]\r\n\r\n", "Hello", nil, model.StopEnd},
		"data in two lines":           {"data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"Hello\"}}]}\n\ndata: [DONE]\n\n", "Hello", nil, model.StopEnd},
		"calls in pieces": {sse(
			choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":""}}]}`),
			choice(`{"tool_calls":[{"index":0,"function":{"arguments":"{\"n\""}}]}`), choice(`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`),
			choice(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"put","arguments":"{}"}}]}`), end("tool_calls"), "[DONE]"), "", two, model.StopCalls},
		"no index": {sse(
			choice(`{"tool_calls":[{"id":"a","function":{"name":"get","arguments":"{\"n\":"}}]}`), choice(`{"tool_calls":[{"function":{"arguments":"1}"}}]}`),
			choice(`{"tool_calls":[{"id":"b","function":{"name":"put","arguments":"{}"}}]}`), end("tool_calls"), "[DONE]"), "", two, model.StopCalls},
		"index 0 for all": {sse(
			choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":"{\"n\":1}"}}]}`),
			choice(`{"tool_calls":[{"index":0,"id":"b","function":{"name":"put","arguments":"{}"}}]}`), end("stop"), "[DONE]"), "", two, model.StopCalls},
		"the id in every piece": {sse(
			choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":"{\"n\":"}},{"index":1,"id":"b","function":{"name":"put","arguments":"{"}}]}`),
			choice(`{"tool_calls":[{"index":0,"id":"a","function":{"arguments":"1}"}},{"index":1,"id":"b","function":{"arguments":"}"}}]}`), end("tool_calls"), "[DONE]"), "", two, model.StopCalls},
		"arguments as an object": {sse(
			choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":{"n":1}}},{"index":1,"id":"b","function":{"name":"put","arguments":{}}}]}`), end("stop"), "[DONE]"), "", two, model.StopCalls},
		"a name with each piece": {sse(
			choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":""}}]}`), choice(`{"tool_calls":[{"index":0,"function":{"name":"get","arguments":"{\"n\""}}]}`), choice(`{"tool_calls":[{"index":0,"function":{"name":"get","arguments":":1}"}}]}`),
			choice(`{"tool_calls":[{"index":1,"id":"b","function":{"name":"put","arguments":"{}"}}]}`), end("tool_calls"), "[DONE]"), "", two, model.StopCalls},
		"one id for two": {sse(
			choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":"{\"n\""}},{"index":1,"id":"a","function":{"name":"put","arguments":"{"}}]}`),
			choice(`{"tool_calls":[{"index":1,"id":"a","function":{"arguments":"}"}},{"index":0,"id":"a","function":{"arguments":":1}"}}]}`), end("tool_calls"), "[DONE]"), "",
			[]model.Call{two[0], {ID: "call_1", Name: "put", Arguments: json.RawMessage(`{}`)}}, model.StopCalls},
		"said twice":              {sse(`{"choices":[{"index":0,"delta":{"content":"Hello"},"message":{"content":"Hello"},"finish_reason":"stop"}]}`), "Hello", nil, model.StopEnd},
		"whole, not streamed":     {sse(`{"choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`), "Hello", nil, model.StopEnd},
		"another choice":          {sse(choice(`{"content":"Hello"}`), `{"choices":[{"index":1,"delta":{"content":"other"}}]}`, end("stop")), "Hello", nil, model.StopEnd},
		"too long":                {sse(choice(`{"content":"Hel"}`), choice(`{"tool_calls":[{"id":"a","function":{"name":"get","arguments":"{\"n\":1}"}}]}`), end("length"), "[DONE]"), "Hel", nil, model.StopLength},
		"a mark at the beginning": {"\xef\xbb\xbf" + sse(choice(`{"content":"Hello"}`), "[DONE]"), "Hello", nil, model.StopEnd},
		"more behind DONE":        {sse(choice(`{"content":"Hello"}`), end("stop"), "[DONE]", choice(`{"content":" you","tool_calls":[{"id":"a","function":{"name":"get","arguments":"{}"}}]}`)), "Hello", nil, model.StopEnd},
		"no error":                {sse(`{"error":false,"choices":[{"delta":{"content":"Hello"}}]}`, `{"error":{},"choices":[]}`, `{"error":"","choices":[]}`, "[DONE]"), "Hello", nil, model.StopEnd},
		"filtered":                {sse(choice(`{"content":"Hel"}`), end("content_filter"), "[DONE]"), "Hel", nil, model.StopFiltered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var told strings.Builder
			r, err := endpoint(t, plays(tt.body)).Stream(t.Context(), ask, func(s string) { told.WriteString(s) })
			if err != nil {
				t.Fatal(err)
			}
			if r.Message.Text != tt.text || told.String() != tt.text || r.Stop != tt.stop {
				t.Errorf("got %q, told %q, stop %s", r.Message.Text, told.String(), r.Stop)
			}
			if diff := cmp.Diff(tt.calls, r.Message.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIDsAndUsage(t *testing.T) {
	t.Parallel()
	r, err := endpoint(t, plays(sse(choice(`{"tool_calls":[{"index":0,"function":{"name":"get","arguments":"{}"}},{"index":1,"function":{"name":"get","arguments":"{}"}}]}`),
		end("tool_calls"), `{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3}}`, "[DONE]"))).Stream(t.Context(), ask, silent)
	if err != nil || len(r.Message.Calls) != 2 || r.Message.Calls[0].ID == "" || r.Message.Calls[0].ID == r.Message.Calls[1].ID {
		t.Fatalf("got %+v, %v, want ids made up", r, err)
	}
	if r.Usage != (model.Usage{Input: 7, Output: 3}) {
		t.Errorf("usage %+v", r.Usage)
	}
	r, err = endpoint(t, plays(sse(choice(`{"tool_calls":[{"index":0,"function":{"name":"get","arguments":"{}"}},{"index":1,"id":"call_0","function":{"name":"get","arguments":"{}"}}]}`),
		end("tool_calls"), `{"choices":[],"usage":{"prompt_tokens":7.0,"completion_tokens":-3}}`, "[DONE]"))).Stream(t.Context(), ask, silent)
	if err != nil || r.Message.Calls[0].ID == r.Message.Calls[1].ID || r.Usage != (model.Usage{Input: 7}) {
		t.Errorf("got %+v, %v, want another id, and no tokens given back", r, err)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	status := func(code int, body string, headers ...string) func(http.ResponseWriter, string) {
		return func(w http.ResponseWriter, _ string) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	for name, tt := range map[string]struct {
		answer func(http.ResponseWriter, string)
		kind   model.Kind
		after  time.Duration
	}{
		"cut before the end":       {plays(sse(choice(`{"content":"Hel"}`))), model.KindCut, 0},
		"cut in a frame":           {plays("data: {\"choices\":[{\"del"), model.KindCut, 0},
		"cut in calls":             {plays(sse(choice(`{"tool_calls":[{"id":"a","function":{"name":"get","arguments":"{"}}]}`))), model.KindCut, 0},
		"ended by an error":        {plays(sse(choice(`{"content":"Hel"}`), end("error"), "[DONE]")), model.KindCut, 0},
		"ended by a bad call":      {plays(sse(choice(`{"content":"Hel"}`), end("malformed_function_call"), "[DONE]")), model.KindCut, 0},
		"an error of another form": {plays("event: error\ndata: {\"message\":\"overloaded\"}\n\ndata: [DONE]\n\n"), model.KindCut, 0},
		"DONE alone":               {plays(sse("[DONE]")), model.KindCut, 0},
		"calls without an end":     {plays(sse(manyCalls(300)...)), model.KindCut, 0},
		"nothing":                  {plays(""), model.KindCut, 0},
		"connection broken":        {func(http.ResponseWriter, string) { panic(http.ErrAbortHandler) }, model.KindCut, 0},
		"no JSON":                  {plays(sse("{", "[DONE]")), model.KindCut, 0},
		"a call without a name":    {plays(sse(choice(`{"tool_calls":[{"id":"a","function":{"arguments":"{}"}}]}`), "[DONE]")), model.KindCut, 0},
		"error in the stream":      {plays(sse(choice(`{"content":"Hel"}`), `{"error":{"message":"overloaded"}}`)), model.KindBusy, 0},
		"too long, in the stream":  {plays(sse(`{"error":{"code":"context_length_exceeded"}}`)), model.KindContext, 0},
		"busy":                     {status(429, "", "Retry-After", "7"), model.KindBusy, 7 * time.Second},
		"down":                     {status(503, "<html>"), model.KindBusy, 0},
		"too long":                 {status(400, `{"error":{"code":"context_length_exceeded"}}`), model.KindContext, 0},
		"too long, in other words": {status(400, `{"error":"the prompt exceeds the context window"}`), model.KindContext, 0},
		"wrong key":                {status(401, `{"error":{"message":"bad key sk-abc"}}`), model.KindRefused, 0},
		"unknown model":            {status(404, `{"error":{"code":"model_not_found"}}`), model.KindRefused, 0},
		"redirect":                 {status(302, "", "Location", "http://127.0.0.1:1/"), model.KindRefused, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r, err := endpoint(t, tt.answer).Stream(t.Context(), ask, silent)
			var e *model.Error
			if !errors.As(err, &e) || e.Kind != tt.kind || e.RetryAfter != tt.after || r != nil {
				t.Errorf("got %+v, %v", r, err)
			}
			if strings.Contains(fmt.Sprint(err), "sk-abc") {
				t.Errorf("the error says too much: %v", err)
			}
		})
	}
}

// manyCalls is an answer that wants so many calls.
func manyCalls(n int) (events []string) {
	for i := range n {
		events = append(events, choice(fmt.Sprintf(`{"tool_calls":[{"index":%d,"id":"c%d","function":{"name":"get","arguments":"{}"}}]}`, i, i)))
	}
	return append(events, end("tool_calls"), "[DONE]")
}

func TestRetryAfterDate(t *testing.T) {
	t.Parallel()
	if got := retryAfter(time.Now().Add(time.Minute).UTC().Format(http.TimeFormat)); got < 50*time.Second || got > time.Minute {
		t.Errorf("got %v", got)
	}
	for _, v := range []string{"", "soon", "-3", time.Unix(0, 0).UTC().Format(http.TimeFormat)} {
		if got := retryAfter(v); got != 0 {
			t.Errorf("%q: got %v", v, got)
		}
	}
}

// A stream that says nothing more is given up; so is one whose caller has gone.
func TestSilence(t *testing.T) {
	t.Parallel()
	hang := make(chan struct{})
	defer close(hang) // before the servers close, which wait for it
	c := endpoint(t, func(w http.ResponseWriter, _ string) {
		io.WriteString(w, sse(choice(`{"content":"Hel"}`)))
		w.(http.Flusher).Flush()
		<-hang
	}, func(o *Options) { o.Idle = 50 * time.Millisecond })
	var e *model.Error
	if _, err := c.Stream(t.Context(), ask, silent); !errors.As(err, &e) || e.Kind != model.KindCut {
		t.Errorf("silent: got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c = endpoint(t, func(w http.ResponseWriter, _ string) { cancel(); <-hang })
	if _, err := c.Stream(ctx, ask, silent); !errors.As(err, &e) || e.Kind != model.KindCut {
		t.Errorf("given up: got %v", err)
	}
}

// an address that the guard refuses is not worth another try.
func TestRefusedAddress(t *testing.T) {
	t.Parallel()
	c := New(Options{BaseURL: "https://127.0.0.1:1/v1", HTTP: netguard.Guard{}.Client()})
	var e *model.Error
	if _, err := c.Stream(t.Context(), ask, silent); !errors.As(err, &e) || e.Passing() || strings.Contains(err.Error(), "127.0.0.1") {
		t.Errorf("got %v, want a refusal that names no address", err)
	}
}

// transport answers with a body that is written as time goes by.
type transport func(body *io.PipeWriter)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) {
	body, w := io.Pipe()
	context.AfterFunc(r.Context(), func() { body.CloseWithError(r.Context().Err()) })
	go f(w)
	return &http.Response{StatusCode: http.StatusOK, Body: body}, nil
}

// Keep-alives are something, and what comes behind a stream's end does not matter.
func TestKeepAlives(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		play := func(every time.Duration) (*model.Response, error) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			return New(Options{BaseURL: "http://model.example/v1", HTTP: &http.Client{Transport: transport(func(w *io.PipeWriter) {
				for range 3 {
					time.Sleep(every)
					io.WriteString(w, ": still here\n\n")
				}
				io.WriteString(w, sse(choice(`{"content":"Hello"}`), "[DONE]"))
			})}}).Stream(ctx, ask, silent)
		}
		if r, err := play(defaultIdle - time.Second); err != nil || r.Message.Text != "Hello" {
			t.Errorf("kept alive: got %+v, %v", r, err)
		}
		var e *model.Error
		if _, err := play(defaultIdle + time.Second); !errors.As(err, &e) || e.Kind != model.KindCut {
			t.Errorf("silent for too long: got %v", err)
		}
		time.Sleep(time.Hour) // the endpoint finds out
	})
}

// What is sent: the conversation in the neutral form, and a provider's own message as it came.
func TestRequest(t *testing.T) {
	t.Parallel()
	var bodies []string
	reply := sse(choice(`{"content":"","reasoning":"because "}`), choice(`{"reasoning":"of it","tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":"{}"},"extra_content":{"signature":"s"}}]}`), end("tool_calls"), "[DONE]")
	c := endpoint(t, func(w http.ResponseWriter, body string) { bodies = append(bodies, body); io.WriteString(w, reply) })
	first := model.Request{
		Model: "m", System: "Be brief.", MaxTokens: 9, Messages: []model.Message{{Role: model.RoleUser, Text: "hi"}},
		Tools: []model.Tool{{Name: "get", Description: "gets", Schema: json.RawMessage(`{"type":"object"}`)}},
	}
	r, err := c.Stream(t.Context(), first, silent)
	if err != nil {
		t.Fatal(err)
	}
	again := first
	foreign := model.Message{Role: model.RoleAssistant, Calls: []model.Call{{ID: "x", Name: "get", Arguments: json.RawMessage(`"{broken"`)}}, Raw: json.RawMessage(`{"other":1}`), From: "another"}
	results := model.Message{Role: model.RoleTool, Results: []model.Result{{CallID: "a", Text: "7"}}}
	again.Messages = append(again.Messages, r.Message, results, foreign, model.Message{Role: model.RoleTool, Results: []model.Result{{CallID: "x", Text: "no"}}})
	if _, err := c.Stream(t.Context(), again, silent); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"max_completion_tokens":9`, `"stream":true`, `{"content":"Be brief.","role":"system"}`, `{"content":"hi","role":"user"}`,
		`"function":{"description":"gets","name":"get","parameters":{"type":"object"}}`,
	} {
		if !strings.Contains(bodies[0], want) {
			t.Errorf("first request has no %s: %s", want, bodies[0])
		}
	}
	for _, want := range []string{
		`"reasoning":"because of it"`, `"extra_content":{"signature":"s"}`, `{"content":"7","role":"tool","tool_call_id":"a"}`, `"arguments":"{broken"`,
	} {
		if !strings.Contains(bodies[1], want) {
			t.Errorf("second request has no %s: %s", want, bodies[1])
		}
	}
	if strings.Contains(bodies[1], `"other"`) {
		t.Errorf("another provider's message was sent: %s", bodies[1])
	}
}

// However a stream is cut into pieces, it says the same.
func FuzzStream(f *testing.F) {
	f.Add([]byte(sse(choice(`{"content":"Hello"}`), end("stop"), "[DONE]")), 3)
	f.Add([]byte("data: {}\r\r\ndata:x\n\n: c\n\n"), 1)
	f.Add([]byte(sse(choice(`{"tool_calls":[{"index":0,"id":"a","function":{"name":"get","arguments":{"n":1}}}]}`), end("stop"))), 7)
	f.Fuzz(func(t *testing.T, body []byte, size int) {
		whole := collect(strings.NewReader(string(body)))
		if pieces := collect(&chopped{body, max(1, size%64)}); pieces != whole {
			t.Errorf("in pieces: %s\nwhole: %s", pieces, whole)
		}
	})
}

func collect(r io.Reader) string {
	a := assembly{text: silent}
	for event, err := range events(r) {
		if err == nil {
			err = a.add(event)
		}
		if err != nil {
			return "error: " + err.Error()
		}
	}
	got, err := a.whole()
	return fmt.Sprintf("%+v %v", got, err)
}

// chopped reads a few bytes at a time.
type chopped struct {
	rest []byte
	size int
}

func (c *chopped) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), c.size)], c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
