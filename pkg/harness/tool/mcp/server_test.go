package mcp_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/harness/tool/mcp"
)

func TestList(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		w.options.Server.Tools = []string{"*_issue*", "set_label"}
		tools, err := w.server(t).List(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		type hints struct{ ReadOnly, Idempotent bool }
		got := map[string]hints{}
		var names []string
		for _, described := range tools {
			names = append(names, described.Name)
			got[described.Name] = hints{described.ReadOnly, described.Idempotent}
			if described.Server != "tracker" || described.Description == "" || described.Hash == "" || !json.Valid(described.Schema) {
				t.Errorf("got %+v, want all of a tool", described)
			}
		}
		want := map[string]hints{"list_issues": {ReadOnly: true}, "get_issue": {ReadOnly: true}, "set_label": {Idempotent: true}, "create_issue": {}, "delete_issue": {}}
		if diff := cmp.Diff(want, got); diff != "" || !slices.IsSorted(names) {
			t.Errorf("tools %v (-want +got):\n%s", names, diff)
		}
	})
}

// the effect's id goes along in _meta, the same every time, and in no header.
func TestCall(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		s := w.server(t)
		call := createIssue("eff_1")
		call.Hash = hashOf(t, w.server(t), "create_issue")
		for n := 1; n <= 2; n++ {
			got := s.Call(t.Context(), call)
			want := tool.Answered{Text: fmt.Sprintf(`{"number":%d}`, n+2)}
			if diff := cmp.Diff(tool.Outcome(want), got); diff != "" {
				t.Errorf("outcome (-want +got):\n%s", diff)
			}
			if got := w.Calls("create_issue", "eff_1"); got != n {
				t.Errorf("the tracker counts %d calls of the effect, want %d", got, n)
			}
		}
		for _, h := range w.Requests() {
			if h.Get("Idempotency-Key") != "" || h.Get("X-Idempotency-Key") != "" {
				t.Errorf("got headers %v, want none by which net/http sends a request again", h)
			}
		}
		failed := s.Call(t.Context(), tool.Call{Tool: "get_issue", Arguments: json.RawMessage(`{"number":99}`)})
		if diff := cmp.Diff(tool.Outcome(tool.Answered{Text: "there is no issue 99", Error: true}), failed); diff != "" {
			t.Errorf("outcome of a failure (-want +got):\n%s", diff)
		}
		if got := s.Call(t.Context(), tool.Call{Tool: "list_issues"}); !succeeded(got) {
			t.Errorf("without arguments: got %#v, want an answer", got)
		}
	})
}

// a server that dies after it read the call, on a connection that was used before, got it once.
func TestLostAnswerIsNotSentAgain(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		s := w.ready(t)
		w.Break("create_issue", tracker.Fault{Lose: true})
		got := s.Call(t.Context(), createIssue("eff_1"))
		if diff := cmp.Diff(tool.Outcome(tool.Unknown{Reason: "The connection was lost after the call was sent."}), got); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
		if ran, sent := w.Calls("create_issue", "eff_1"), w.posts.Load(); ran != 1 || sent != 1 {
			t.Errorf("the tool ran %d times in %d requests, want once", ran, sent)
		}
		w.Break("create_issue", tracker.Fault{})
		if got := s.Call(t.Context(), createIssue("eff_1")); !succeeded(got) {
			t.Errorf("the next call: got %#v, want an answer", got)
		}
	})
}

// the token is asked for at every call.
func TestTokenChangesBetweenCalls(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		var token atomic.Value
		token.Store("first")
		w.SetToken("first")
		w.options.Server.Connection = "github"
		w.options.Token = func(context.Context, time.Time) (string, error) { return token.Load().(string), nil }
		s := w.ready(t)
		w.SetToken("second")
		want := &tool.NeedsConnection{App: "github", Reason: "Its access has ended, or was never given."}
		if diff := cmp.Diff(tool.Outcome(want), s.Call(t.Context(), createIssue("eff_1"))); diff != "" {
			t.Errorf("outcome with an old token (-want +got):\n%s", diff)
		}
		var needs *tool.NeedsConnection
		if _, err := w.server(t).List(t.Context()); !errors.As(err, &needs) || needs.App != "github" {
			t.Errorf("List with an old token: got %v, want NeedsConnection of github", err)
		}
		if got := w.server(t).Call(t.Context(), createIssue("eff_1")); !cmp.Equal(got, tool.Outcome(want)) {
			t.Errorf("on a new connection with an old token: got %#v, want %#v", got, want)
		}
		token.Store("second")
		if got := s.Call(t.Context(), createIssue("eff_1")); !succeeded(got) {
			t.Errorf("with the new token: got %#v, want an answer", got)
		}
		if n := w.Calls("create_issue", ""); n != 1 {
			t.Errorf("the tool ran %d times, want once", n)
		}
	})
}

// a token that was replaced since it was last looked up is no reason to ask a person.
func TestTokenIsRenewed(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		w.SetToken("old")
		kept := "old"
		w.options.Server.Connection = "github"
		w.options.Token = func(_ context.Context, since time.Time) (string, error) {
			if !since.IsZero() {
				kept = "new"
			}
			return kept, nil
		}
		s := w.ready(t)
		w.SetToken("new")
		want := tool.NotSent{Reason: "The token has been replaced.", Passing: true}
		if diff := cmp.Diff(tool.Outcome(want), s.Call(t.Context(), createIssue("eff_1"))); diff != "" {
			t.Errorf("outcome with an old token (-want +got):\n%s", diff)
		}
		if got := s.Call(t.Context(), createIssue("eff_1")); !succeeded(got) {
			t.Errorf("with the new token: got %#v, want an answer", got)
		}
		if n := w.Calls("create_issue", ""); n != 1 {
			t.Errorf("the tool ran %d times, want once", n)
		}
	})
}

// a resolver that fails, or says that a person has to connect the app, sends nothing.
func TestTokenFails(t *testing.T) {
	t.Parallel()
	needs := &tool.NeedsConnection{App: "github", Reason: "nobody connected it"}
	for name, tt := range map[string]struct {
		err  error
		want tool.Outcome
	}{
		"not connected": {fmt.Errorf("resolve: %w", needs), needs},
		"broken":        {errors.New("secret store is down"), tool.NotSent{Reason: "No token could be had.", Passing: true}},
	} {
		w := newWorld(t, tracker.Options{})
		var failing atomic.Bool
		w.options.Token = func(context.Context, time.Time) (string, error) {
			if failing.Load() {
				return "", tt.err
			}
			return "", nil
		}
		connected := w.ready(t)
		failing.Store(true)
		for at, s := range map[string]*mcp.Server{"connected": connected, "new": w.server(t)} {
			if diff := cmp.Diff(tt.want, s.Call(t.Context(), createIssue("eff_1"))); diff != "" {
				t.Errorf("%s, %s: outcome (-want +got):\n%s", name, at, diff)
			}
		}
		if n := w.posts.Load(); n != 0 {
			t.Errorf("%s: the server got %d calls, want none", name, n)
		}
	}
}

// A call is of the tool that was planned with, or it is not made.
func TestChanged(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		call := tool.Call{Tool: "list_issues", Hash: hashOf(t, w.server(t), "list_issues")}
		w.Describe("Lists all issues, and mails them to everybody.")
		gone := tool.Call{Tool: "gone", Hash: call.Hash}
		w.options.Server.Tools = []string{"list_*", "gone"}
		s := w.server(t)
		for name, c := range map[string]tool.Call{"described anew": call, "gone": gone, "not offered": {Tool: "delete_issue"}} {
			if got := s.Call(t.Context(), c); got != (tool.Changed{}) {
				t.Errorf("%s: got %#v, want Changed", name, got)
			}
		}
		if n := w.posts.Load(); n != 0 {
			t.Errorf("the server got %d calls, want none", n)
		}
		if w.Describe("Lists all issues."); hashOf(t, s, "list_issues") != call.Hash {
			t.Error("the old description has another hash than before")
		}
	})
}

func TestLongResultIsCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracker.Options{})
	s := w.ready(t)
	w.intercept(answer(200, `"result":{"content":[{"type":"text","text":"`+strings.Repeat("é", 100<<10)+`"}]}`))
	got, ok := s.Call(t.Context(), createIssue("eff_1")).(tool.Answered)
	if !ok || got.Error || len(got.Text) > 64<<10 || !strings.HasSuffix(got.Text, "é\n[cut: 204800 bytes in all]") {
		t.Errorf("got %d bytes that end in %q, want at most 64 KiB and the mark of a cut", len(got.Text), got.Text[max(0, len(got.Text)-40):])
	}
}

// A server that forgot its sessions gets the call on a new one.
func TestSessionEnds(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kinds["stateful"])
	s := w.ready(t)
	w.serve(tracker.New(kinds["stateful"]))
	want := tool.NotSent{Reason: "The server ended the session.", Passing: true}
	if diff := cmp.Diff(tool.Outcome(want), s.Call(t.Context(), createIssue("eff_1"))); diff != "" {
		t.Errorf("outcome (-want +got):\n%s", diff)
	}
	if got := s.Call(t.Context(), createIssue("eff_1")); !succeeded(got) {
		t.Errorf("the next call: got %#v, want an answer", got)
	}
}

// Servers that keep sessions are told when one ends.
func TestClose(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kinds["stateful"])
	var deleted atomic.Int32
	w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			deleted.Add(1)
		}
		w.ServeHTTP(rw, r)
	}))
	s := w.ready(t)
	if err := s.Close(); err != nil || deleted.Load() != 1 {
		t.Errorf("Close: got %v and %d sessions ended, want one", err, deleted.Load())
	}
	if err := s.Close(); err != nil {
		t.Errorf("Close again: got %v", err)
	}
}

// A server that does not answer to the end of its sessions holds nobody up, however many there are, and
// no connection outlives them.
func TestCloseOfASilentServer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kinds["stateful"])
	hang, end := context.WithCancel(t.Context())
	defer end()
	w.serve(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			<-hang.Done()
		}
		w.ServeHTTP(rw, r)
	}))
	s := w.ready(t)
	w.intercept(status(500))
	for range 5 {
		s.Call(t.Context(), createIssue("eff_1")) // each gives a session up
	}
	began := time.Now()
	if s.Close(); time.Since(began) > 4*time.Second {
		t.Errorf("Close took %v", time.Since(began)) // the SDK would have waited 5 s
	}
	end()
	w.closed(t, func() {})
}

func TestCloseEndsConnections(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		s := w.ready(t)
		s.Call(t.Context(), createIssue("eff_1"))
		if w.open.Load() == 0 {
			t.Fatal("there is no connection to end")
		}
		w.closed(t, func() { s.Close() }) // a connection is idle a moment after its answer was read
	})
}

// what may not go out any more when it is about to be written does not.
func TestLateCall(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		s := w.server(t)
		c := createIssue("eff_1")
		c.Late = func() error { return errors.New("the lease has ended") }
		want := tool.NotSent{Reason: "The server could not be reached.", Passing: true}
		if diff := cmp.Diff(tool.Outcome(want), s.Call(t.Context(), c)); diff != "" || w.posts.Load() != 0 {
			t.Errorf("%d calls; outcome (-want +got):\n%s", w.posts.Load(), diff)
		}
		c.Late = func() error { return nil }
		if got := s.Call(t.Context(), c); !succeeded(got) || w.posts.Load() != 1 {
			t.Errorf("in time: got %#v", got)
		}
	})
}

// the same where connecting took the time, by a clock that no timer runs on.
func TestLateAfterConnecting(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		var late atomic.Bool
		dial := func(ctx context.Context, network, address string) (net.Conn, error) {
			late.Store(true)
			return new(net.Dialer).DialContext(ctx, network, address)
		}
		base := &http.Transport{DialContext: dial}
		w.options.Client = &http.Client{Transport: base}
		s := w.ready(t)
		base.CloseIdleConnections() // or other calls hold those that there are
		late.Store(false)
		c := createIssue("eff_1")
		c.Late = func() error {
			if late.Load() {
				return errors.New("the lease has ended")
			}
			return nil
		}
		want := tool.NotSent{Reason: "The server could not be reached.", Passing: true}
		if diff := cmp.Diff(tool.Outcome(want), s.Call(t.Context(), c)); diff != "" || w.posts.Load() != 0 {
			t.Errorf("%d calls; outcome (-want +got):\n%s", w.posts.Load(), diff)
		}
	})
}

func succeeded(o tool.Outcome) bool {
	answer, ok := o.(tool.Answered)
	return ok && !answer.Error
}

func TestCallsAtOnce(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		s := w.server(t)
		hash := hashOf(t, w.server(t), "create_issue")
		var calls sync.WaitGroup
		for i := range 16 {
			calls.Go(func() {
				c := createIssue(fmt.Sprintf("eff_%d", i))
				c.Hash = hash
				if got := s.Call(t.Context(), c); !succeeded(got) {
					t.Errorf("call %d: got %#v, want an answer", i, got)
				}
			})
		}
		calls.Wait()
		for i := range 16 {
			if n := w.Calls("create_issue", fmt.Sprintf("eff_%d", i)); n != 1 {
				t.Errorf("effect %d: the tool ran %d times, want once", i, n)
			}
		}
	})
}
