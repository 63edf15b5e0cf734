package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// what surely had no effect, what was answered, and what nobody knows.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	refused := tool.NotSent{Reason: "The server refused the call."}
	failed := tool.Unknown{Reason: "The server failed while it had the call."}
	unread := tool.Unknown{Reason: "The server's answer could not be read."}
	jsonError := func(code string) string { return `"error":{"code":` + code + `,"message":"no"}` }
	for _, row := range []struct {
		name   string
		answer http.HandlerFunc
		want   tool.Outcome
	}{
		{"redirect", status(307, "Location", "/elsewhere"), refused},
		{"redirect to what came of it", status(303, "Location", "/elsewhere"), failed},
		{"redirect that may be one", status(302, "Location", "/elsewhere"), failed},
		{"400", status(400), refused},
		{"401", status(401), &tool.NeedsConnection{App: "tracker", Reason: "Its access has ended, or was never given."}},
		{"403", status(403), refused},
		{"403 for scope", status(403, "WWW-Authenticate", `Bearer error="insufficient_scope", scope="repo"`),
			&tool.NeedsConnection{App: "tracker", Reason: "It needs more access than was given."}},
		{"404", status(404), refused},
		{"408", status(408), failed},
		{"409", status(409), failed},
		{"429", status(429), tool.NotSent{Reason: "The server takes no more calls for now.", Passing: true}},
		{"500", status(500), failed},
		{"502", status(502), failed},
		{"503", status(503), failed},
		{"504", status(504), failed},

		{"invalid request", answer(200, jsonError("-32600")), refused},
		{"unknown method", answer(200, jsonError("-32601")), refused},
		{"invalid parameters", answer(200, jsonError("-32602")), tool.NotSent{Reason: "The server refused the call: no"}},
		{"invalid parameters, without a word", answer(200, `"error":{"code":-32602,"message":""}`), refused},
		{"invalid parameters with 400", answer(400, jsonError("-32602")), refused},
		{"header mismatch", answer(400, jsonError("-32020")), refused},
		{"header mismatch with 200", answer(200, jsonError("-32020")), refused},
		{"unsupported version", answer(400, jsonError("-32022")), refused},
		{"internal error", answer(200, jsonError("-32603")), tool.Answered{Text: "no", Error: true}},
		{"internal error with 500", answer(500, jsonError("-32603")), failed},
		{"a server's own error", answer(200, jsonError("-32000")), tool.Answered{Text: "no", Error: true}},

		{"result", answer(200, `"result":{"content":[{"type":"text","text":"done"}]}`), tool.Answered{Text: "done"}},
		{"error of the tool", answer(200, `"result":{"isError":true,"content":[{"type":"text","text":"no such branch"}]}`),
			tool.Answered{Text: "no such branch", Error: true}},
		{"structured content", answer(200, `"result":{"content":[{"type":"text","text":"x"}],"structuredContent":{"url":"a<b"}}`),
			tool.Answered{Text: `{"url":"a<b"}`}},

		{"no answer", breaks(""), tool.Unknown{Reason: "The connection was lost after the call was sent."}},
		{"half an answer", breaks(`{"jsonrpc":"2.0"`), unread},
		{"no JSON", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Write([]byte("<html>"))
		}, unread},
		{"another content type", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Write([]byte("<html>"))
		}, unread},
		{"a stream that ends without an answer", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Write([]byte(": hello\n\n"))
		}, unread},
		{"an answer that the SDK panics at", answer(200, `"result":{"resultType":"input_required","inputRequests":{"a":null}}`), unread},
		{"an answer behind what the SDK panics at", func(rw http.ResponseWriter, r *http.Request) {
			var asked struct{ ID json.RawMessage }
			_ = json.NewDecoder(r.Body).Decode(&asked)
			rw.Header().Set("Content-Type", "text/event-stream")
			for _, said := range []string{
				`"method":"notifications/elicitation/complete"`, `"method":"notifications/tools/list_changed"`,
				`"id":7,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"type":"object","properties":{"a":null}}}`,
				`"id":8,"method":"sampling/createMessage","params":{"messages":[null],"maxTokens":1}`, `"id":9,"method":"ping"`,
				`"id":` + string(asked.ID) + `,"result":{"content":[{"type":"text","text":"made"}]}`,
			} {
				fmt.Fprintf(rw, "data: {\"jsonrpc\":\"2.0\",%s}\n\n", said)
			}
		}, tool.Answered{Text: "made"}},
		{"too large an answer", answer(200, `"result":{"content":[{"type":"text","text":"`+strings.Repeat("x", 5<<20)+`"}]}`),
			tool.Answered{Text: "The tool's answer was too large to be read. The call may have had its effect.", Error: true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			eachKind(t, func(t *testing.T, w *world) {
				s := w.ready(t)
				w.intercept(row.answer)
				want := row.want
				if w.sessions && row.name == "404" {
					want = tool.NotSent{Reason: "The server ended the session.", Passing: true}
				}
				if diff := cmp.Diff(want, s.Call(t.Context(), createIssue("eff_1"))); diff != "" {
					t.Errorf("outcome (-want +got):\n%s", diff)
				}
				if n := w.posts.Load(); n != 1 {
					t.Errorf("the server got %d calls, want 1", n)
				}
			})
		})
	}
}

// a session that ends for another call says nothing of one that the server has.
func TestSessionEndsBesideACall(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]func(http.ResponseWriter){
		"no answer yet": func(http.ResponseWriter) {},
		"a stream": func(rw http.ResponseWriter) {
			rw.Header().Set("Content-Type", "text/event-stream")
			rw.WriteHeader(http.StatusOK)
			http.NewResponseController(rw).Flush()
		},
	} {
		w := newWorld(t, kinds["stateful"])
		s := w.ready(t)
		arrived, ended := make(chan struct{}), make(chan struct{})
		w.intercept(func(rw http.ResponseWriter, r *http.Request) {
			if b, _ := io.ReadAll(r.Body); !bytes.Contains(b, []byte("create_issue")) {
				rw.WriteHeader(http.StatusNotFound)
				return
			}
			begin(rw)
			close(arrived)
			<-ended
		})
		first := make(chan tool.Outcome, 1)
		go func() { first <- s.Call(t.Context(), createIssue("eff_1")) }()
		<-arrived
		want := tool.NotSent{Reason: "The server ended the session.", Passing: true}
		if got := s.Call(t.Context(), tool.Call{Tool: "list_issues", EffectID: "eff_2"}); got != tool.Outcome(want) {
			t.Errorf("%s: the other call came to %#v", name, got)
		}
		close(ended)
		got := <-first
		if _, ok := got.(tool.Unknown); !ok {
			t.Errorf("%s: a call that the server has came to %#v", name, got)
		}
	}
}

// a call whose server is gone was not sent.
func TestUnreachedServer(t *testing.T) {
	t.Parallel()
	want := tool.NotSent{Reason: "The server could not be reached.", Passing: true}
	eachKind(t, func(t *testing.T, w *world) {
		connected := w.ready(t)
		w.http.Close()
		w.options.Client.CloseIdleConnections() // on a dead one nobody knows what was sent
		for name, s := range map[string]tool.Server{"connected": connected, "new": w.server(t)} {
			if diff := cmp.Diff(tool.Outcome(want), s.Call(t.Context(), createIssue("eff_1"))); diff != "" {
				t.Errorf("%s: outcome (-want +got):\n%s", name, diff)
			}
		}
		if _, err := w.server(t).List(t.Context()); err == nil {
			t.Error("List: got tools of a server that is gone, want an error")
		}
	})
}

// an address that the guard refuses is not worth another try.
func TestRefusedAddress(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		w.options.Client = netguard.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}}.Client()
		got := w.server(t).Call(t.Context(), createIssue("eff_1"))
		if diff := cmp.Diff(tool.Outcome(tool.NotSent{Reason: "The server's address may not be reached."}), got); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
		if _, err := w.server(t).List(t.Context()); err == nil || strings.Contains(err.Error(), "127.0.0.1") {
			t.Errorf("List: got %v, want an error that names no address", err)
		}
	})
}

// a call whose context ends while the server has it is unknown; before that, it was not sent.
func TestContextEnds(t *testing.T) {
	t.Parallel()
	eachKind(t, func(t *testing.T, w *world) {
		s := w.ready(t)
		ctx, cancel := context.WithCancel(t.Context())
		w.intercept(func(_ http.ResponseWriter, r *http.Request) {
			cancel()
			<-r.Context().Done() // the caller hangs up
		})
		got := s.Call(ctx, createIssue("eff_1"))
		if diff := cmp.Diff(tool.Outcome(tool.Unknown{Reason: "No answer came in time."}), got); diff != "" {
			t.Errorf("outcome (-want +got):\n%s", diff)
		}
		if got, ok := s.Call(ctx, createIssue("eff_2")).(tool.NotSent); !ok || w.posts.Load() != 1 {
			t.Errorf("on an ended context: got %#v and %d calls, want NotSent and the first call", got, w.posts.Load())
		}
	})
}

// Servers must not expect anything of us while a tool runs.
func TestNoCapabilities(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kinds["stateless"])
	s := w.ready(t)
	var request struct {
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	w.intercept(func(_ http.ResponseWriter, r *http.Request) { _ = json.NewDecoder(r.Body).Decode(&request) })
	s.Call(t.Context(), createIssue("eff_1"))
	if got := string(request.Params.Meta["io.modelcontextprotocol/clientCapabilities"]); got != "{}" {
		t.Errorf("got capabilities %q, want {}", got)
	}
}

func TestInputRequiredIsAnswered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, kinds["stateless"])
	s := w.ready(t)
	w.intercept(answer(200, `"result":{"resultType":"input_required","requestState":"s","inputRequests":{"a":{"method":"elicitation/create","params":{"mode":"form","message":"Sure?","requestedSchema":{"type":"object","properties":{}}}}}}`))
	got := s.Call(t.Context(), createIssue("eff_1"))
	want := tool.Answered{Text: "The tool asks for more input while it runs, which is not supported.", Error: true}
	if diff := cmp.Diff(tool.Outcome(want), got); diff != "" || w.posts.Load() != 1 {
		t.Errorf("%d calls, outcome (-want +got):\n%s", w.posts.Load(), diff)
	}
}
