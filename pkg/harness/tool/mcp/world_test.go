package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/harness/tool/mcp"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// kinds are the servers that every test meets: without sessions, and with some as before 2026-07-28.
var kinds = map[string]tracker.Options{"stateless": {}, "stateful": {Stateful: true}}

// eachKind runs a test against every kind of server.
func eachKind(t *testing.T, test func(*testing.T, *world)) {
	t.Helper()
	for name, o := range kinds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newWorld(t, o))
		})
	}
}

// world is a tracker behind HTTP, and how to reach it.
type world struct {
	*tracker.Tracker
	front    atomic.Pointer[http.Handler]
	onCall   atomic.Pointer[http.HandlerFunc] // answers tool calls instead of the tracker
	posts    atomic.Int32                     // tool calls that reached the server
	open     atomic.Int32                     // of them
	sessions bool
	http     *httptest.Server
	options  mcp.Options
}

func newWorld(t *testing.T, o tracker.Options) *world {
	t.Helper()
	w := &world{Tracker: tracker.New(o), sessions: o.Stateful}
	w.serve(w.Tracker)
	w.http = httptest.NewUnstartedServer(http.HandlerFunc(w.handle))
	w.http.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			w.open.Add(1)
		case http.StateClosed:
			w.open.Add(-1)
		}
	}
	w.http.Start()
	t.Cleanup(w.http.Close)
	w.options = mcp.Options{Name: "tracker", Server: definition.Server{URL: w.http.URL}, Client: localGuard.Client()}
	return w
}

var localGuard = netguard.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}

func (w *world) serve(h http.Handler)         { w.front.Store(&h) }
func (w *world) intercept(h http.HandlerFunc) { w.onCall.Store(&h) }

func (w *world) handle(rw http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	if bytes.Contains(body, []byte(`"tools/call"`)) {
		w.posts.Add(1)
		if h := w.onCall.Load(); h != nil {
			(*h)(rw, r)
			return
		}
	}
	(*w.front.Load()).ServeHTTP(rw, r)
}

// server connects to the world's server.
func (w *world) server(t *testing.T) *mcp.Server {
	t.Helper()
	s := mcp.New(w.options)
	t.Cleanup(func() { s.Close() })
	return s
}

// ready returns a server that is connected already, on a connection that the next call reuses.
func (w *world) ready(t *testing.T) *mcp.Server {
	t.Helper()
	s := w.server(t)
	if _, err := s.List(t.Context()); err != nil {
		t.Fatalf("List: got %v, want the tools", err)
	}
	return s
}

// closed waits for the last connection to end, and does something before each look.
func (w *world) closed(t *testing.T, before func()) {
	t.Helper()
	for range 500 {
		if before(); w.open.Load() == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d connections are left", w.open.Load())
}

// answer is a handler that answers with a JSON-RPC member, a result or an error.
func answer(status int, member string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.NewDecoder(r.Body).Decode(&request)
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, request.ID, member)
	}
}

// status is a handler that answers with a status alone.
func status(code int, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
	}
}

// breaks is a handler that closes the connection, after some bytes of an answer or before any.
func breaks(before string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if before != "" {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, before)
			http.NewResponseController(w).Flush()
		}
		panic(http.ErrAbortHandler)
	}
}

func createIssue(effect string) tool.Call {
	return tool.Call{Tool: "create_issue", Arguments: json.RawMessage(`{"title":"Broken"}`), EffectID: effect}
}

// hashOf is a tool's description as it is now.
func hashOf(t *testing.T, s *mcp.Server, name string) string {
	t.Helper()
	tools, err := s.List(context.WithoutCancel(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	for _, described := range tools {
		if described.Name == name {
			return described.Hash
		}
	}
	t.Fatalf("no tool %q in %v", name, tools)
	return ""
}
