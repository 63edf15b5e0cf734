package runtimeapi_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/test/runtimeapi"
)

func url(s *runtimeapi.Server, path string) string {
	return "http://" + s.Address() + "/2018-06-01/runtime/" + path
}

// asked invokes a function that a test plays by hand: it has asked and not yet replied.
func asked(t *testing.T, s *runtimeapi.Server, event string) (id string, invoked chan error, reply *runtimeapi.Reply) {
	t.Helper()
	invoked, reply = make(chan error, 1), &runtimeapi.Reply{}
	go func() {
		r, err := s.Invoke(t.Context(), []byte(event), time.UnixMilli(1234))
		if r != nil {
			*reply = *r
		}
		invoked <- err
	}()
	resp, err := http.Get(url(s, "invocation/next"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil || string(b) != event || resp.Header.Get("Lambda-Runtime-Deadline-Ms") != "1234" {
		t.Fatalf("next: got %s, %v, %v, want the event and its deadline", b, resp.Header, err)
	}
	return resp.Header.Get("Lambda-Runtime-Aws-Request-Id"), invoked, reply
}

func post(t *testing.T, address, contentType, body string) (status int) {
	t.Helper()
	resp, err := http.Post(address, contentType, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}

func TestReplies(t *testing.T) {
	t.Parallel()
	s := runtimeapi.New(t)
	id, invoked, reply := asked(t, s, `{"n":1}`)
	if got := post(t, url(s, "invocation/"+id+"/response"), "application/json", `"done"`); got != http.StatusAccepted {
		t.Errorf("response: got %d, want 202", got)
	}
	if err := <-invoked; err != nil {
		t.Fatal(err)
	}
	if b, err := reply.Rest(); err != nil || string(b) != `"done"` {
		t.Errorf("reply: got %s, %v", b, err)
	}
	if got := post(t, url(s, "invocation/"+id+"/response"), "application/json", "again"); got != http.StatusBadRequest {
		t.Errorf("a second response: got %d, want 400", got)
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()
	s := runtimeapi.New(t)
	const failure = `{"errorType":"T","errorMessage":"m"}`
	id, invoked, _ := asked(t, s, "{}")
	post(t, url(s, "invocation/"+id+"/error"), "application/json", failure)
	var e *runtimeapi.Error
	if err := <-invoked; !errors.As(err, &e) || e.Type != "T" || e.Message != "m" {
		t.Errorf("invoke: got %v, want the function's error", err)
	}
	post(t, url(s, "init/error"), "application/json", failure)
	if err := <-s.InitErrors(); !errors.As(err, &e) {
		t.Errorf("init: got %v, want the function's error", err)
	}
	id, invoked, _ = asked(t, s, "{}")
	post(t, url(s, "invocation/"+id+"/response"), runtimeapi.Streamed, "{}\x00\x00\x00\x00\x00\x00\x00\x00")
	if err := <-invoked; err == nil {
		t.Error("a prelude without a status: got no error")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Invoke(ctx, nil, time.Time{}); !errors.Is(err, context.Canceled) {
		t.Errorf("nobody asks: got %v, want %v", err, context.Canceled)
	}
}
