package tracker_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/harness/tool/mcp"
)

// connect starts a tracker of a kind, and a session of the SDK's own client with it.
func connect(t *testing.T, o tracker.Options) (*tracker.Tracker, *sdk.ClientSession) {
	t.Helper()
	tr := tracker.New(o)
	server := httptest.NewServer(tr)
	t.Cleanup(server.Close)
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{Endpoint: server.URL, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return tr, session
}

func call(t *testing.T, s *sdk.ClientSession, tool string, arguments map[string]any) (text string, failed bool) {
	t.Helper()
	r, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: arguments, Meta: sdk.Meta{mcp.MetaEffectID: "eff_1"}})
	if err != nil {
		t.Fatalf("%s: got %v, want a result", tool, err)
	}
	return r.Content[0].(*sdk.TextContent).Text, r.IsError
}

func TestTools(t *testing.T) {
	t.Parallel()
	for kind, o := range map[string]tracker.Options{"stateless": {}, "stateful": {Stateful: true}} {
		tr, s := connect(t, o)
		if sessions := s.ID() != ""; sessions != o.Stateful {
			t.Errorf("%s: got a session: %t", kind, sessions)
		}
		for _, tt := range []struct {
			tool      string
			arguments map[string]any
			want      string
		}{
			{"create_issue", map[string]any{"title": "Third"}, `{"number":3}`},
			{"create_pull_request", map[string]any{"title": "Fix", "branch": "fix"}, `{"number":4}`},
			{"set_label", map[string]any{"number": 3, "label": "bug"}, `{"labels":["bug"],"number":3,"title":"Third"}`},
			{"set_label", map[string]any{"number": 3, "label": "bug"}, `{"labels":["bug"],"number":3,"title":"Third"}`},
			{"comment", map[string]any{"number": 3, "text": "Me too"}, `{"comments":["Me too"],"labels":["bug"],"number":3,"title":"Third"}`},
			{"get_issue", map[string]any{"number": 3}, `{"comments":["Me too"],"labels":["bug"],"number":3,"title":"Third"}`},
			{"delete_issue", map[string]any{"number": 1}, `{"number":1}`},
			{"delete_issue", map[string]any{"number": 2}, `{"number":2}`},
			{"list_issues", nil, `{"issues":[{"comments":["Me too"],"labels":["bug"],"number":3,"title":"Third"}]}`},
		} {
			if got, failed := call(t, s, tt.tool, tt.arguments); got != tt.want || failed {
				t.Errorf("%s: %s: got %s, want %s", kind, tt.tool, got, tt.want)
			}
		}
		if _, failed := call(t, s, "comment", map[string]any{"number": 1, "text": "x"}); !failed {
			t.Errorf("%s: a comment on a deleted issue did not fail", kind)
		}
		if n, other := tr.Calls("set_label", "eff_1"), tr.Calls("set_label", "eff_2"); n != 2 || other != 0 {
			t.Errorf("%s: got %d calls of the effect and %d of another, want 2 and 0", kind, n, other)
		}
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	tr, s := connect(t, tracker.Options{})
	tr.Break("create_issue", tracker.Fault{Fail: true})
	if _, failed := call(t, s, "create_issue", map[string]any{"title": "x"}); !failed || tr.Calls("create_issue", "") != 0 {
		t.Errorf("fail: got failed %t after %d calls, want a failure and none", failed, tr.Calls("create_issue", ""))
	}
	params := &sdk.CallToolParams{Name: "create_issue", Arguments: map[string]any{"title": "x"}}
	tr.Break("create_issue", tracker.Fault{Status: http.StatusBadGateway})
	if _, err := s.CallTool(t.Context(), params); err == nil || tr.Calls("create_issue", "") != 0 {
		t.Errorf("status: got %v after %d calls, want an error and none", err, tr.Calls("create_issue", ""))
	}
	tr.Break("create_issue", tracker.Fault{Lose: true})
	if _, err := s.CallTool(t.Context(), params); err == nil || tr.Calls("create_issue", "") != 1 {
		t.Errorf("lose: got %v after %d calls, want an error and one", err, tr.Calls("create_issue", ""))
	}
}

func TestWait(t *testing.T) {
	t.Parallel()
	tr, s := connect(t, tracker.Options{})
	release := make(chan struct{})
	tr.Break("create_issue", tracker.Fault{Wait: release})
	done := make(chan error)
	go func() {
		_, err := s.CallTool(context.WithoutCancel(t.Context()), &sdk.CallToolParams{Name: "create_issue", Arguments: map[string]any{"title": "x"}})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("got %v before the answer was released", err)
	case release <- struct{}{}: // the tool is there to take it
	}
	if err := <-done; err != nil || tr.Calls("create_issue", "") != 1 {
		t.Errorf("got %v after %d calls, want an answer after one", err, tr.Calls("create_issue", ""))
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(tracker.New(tracker.Options{Token: "right"}))
	defer server.Close()
	for token, want := range map[string]int{"": 401, "Bearer wrong": 401, "Bearer right": 400} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL, strings.NewReader("no JSON"))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", token)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%q: got %d, want %d", token, resp.StatusCode, want)
		}
	}
}
