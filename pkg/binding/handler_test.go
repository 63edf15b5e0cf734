package binding_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// CARD-02, SPEC-15: the card under the origin and under the mount, to everybody, with what caches need.
func TestCard(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test/deep/agent")
	public := []string{"Authorization", "", "A2A-Version", ""}
	for _, target := range []string{"/.well-known/agent-card.json", "/deep/agent/.well-known/agent-card.json"} {
		w := do(h, request("GET", target, "", public...))
		if w.Code != 200 || !strings.Contains(w.Body.String(), `"url":"http://agent.test/deep/agent"`) {
			t.Fatalf("%s: got %d %s, want the card", target, w.Code, w.Body)
		}
		etag := w.Header().Get("ETag")
		for name, want := range map[string]string{
			"Content-Type":  "application/json",
			"Cache-Control": "public, max-age=300",
			"Last-Modified": "Fri, 02 Jan 2026 03:04:05 GMT",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s: got %s %q, want %q", target, name, got, want)
			}
		}
		if w := do(h, request("GET", target, "", append(public, "If-None-Match", etag)...)); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("%s, unchanged: got %d %s, want 304", target, w.Code, w.Body)
		}
		if w := do(h, request("HEAD", target, "", public...)); w.Code != 200 || w.Body.Len() > 0 || w.Header().Get("ETag") != etag {
			t.Errorf("HEAD %s: got %d %s, want 200 without a body", target, w.Code, w.Body)
		}
	}
}

// CARD-02: a page of any origin may read the card.
func TestCardAcrossOrigins(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	get := do(h, request("GET", "/.well-known/agent-card.json", "", "Authorization", "", "Origin", "https://page.example"))
	if got := get.Header(); get.Code != 200 || got.Get("Access-Control-Allow-Origin") != "*" || got.Get("Access-Control-Allow-Credentials") != "" {
		t.Errorf("got %d %v", get.Code, got)
	}
	ask := do(h, request("OPTIONS", "/.well-known/agent-card.json", "", "Authorization", "", "Origin", "https://page.example",
		"Access-Control-Request-Method", "GET", "Access-Control-Request-Headers", "a2a-version"))
	if got := ask.Header(); ask.Code != 204 || got.Get("Access-Control-Allow-Methods") != "GET, HEAD" || got.Get("Access-Control-Allow-Headers") != "*" {
		t.Errorf("got %d %v", ask.Code, got)
	}
	if w := do(h, request("POST", "/message:send", message("x"), "Origin", "https://page.example")); w.Header().Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("operations are open to pages: %v", w.Header())
	}
}

// SRV-02, SRV-16: what is served where, by the path of the card's URL and its bindings.
func TestMount(t *testing.T) {
	t.Parallel()
	both := []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON}
	for _, tt := range []struct {
		url      string
		bindings []string
		rpc      []string // paths that answer JSON-RPC
		rest     []string // paths that list tasks
		nothing  []string // paths of neither
	}{
		{"http://agent.test", both, []string{"/"}, []string{"/tasks"}, []string{"/a/tasks"}},
		{"http://agent.test/a/b", both, []string{"/a/b", "/a/b/"}, []string{"/a/b/tasks"}, []string{"/", "/tasks", "/a", "/a/bc", "/a/bc/tasks"}},
		{"http://agent.test/a", both[:1], []string{"/a"}, nil, []string{"/a/tasks"}},
		{"http://agent.test/a", both[1:], nil, []string{"/a/tasks"}, []string{"/a", "/a/"}},
	} {
		h := newHandler(t, tt.url, tt.bindings...)
		for _, path := range tt.rpc {
			if w := do(h, request("POST", path, rpc("1", "ListTasks", "{}"))); w.Code != 200 || !strings.HasPrefix(w.Body.String(), `{"jsonrpc"`) {
				t.Errorf("%s %v: POST %s: got %d %s, want JSON-RPC", tt.url, tt.bindings, path, w.Code, w.Body)
			}
		}
		for _, path := range tt.rest {
			if w := do(h, request("GET", path, "")); w.Code != 200 || !strings.HasPrefix(w.Body.String(), `{"tasks"`) {
				t.Errorf("%s %v: GET %s: got %d %s, want tasks", tt.url, tt.bindings, path, w.Code, w.Body)
			}
		}
		for _, path := range tt.nothing {
			for _, r := range []*http.Request{request("GET", path, ""), request("POST", path, rpc("1", "ListTasks", "{}"))} {
				if w := do(h, r); w.Code != 404 {
					t.Errorf("%s %v: %s %s: got %d %s, want 404", tt.url, tt.bindings, r.Method, path, w.Code, w.Body)
				}
			}
		}
	}
}
