package binding_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/test/schema"
)

// answers are the bodies of an answer: one, or a stream's events.
func answers(w *httptest.ResponseRecorder) []string {
	if w.Header().Get("Content-Type") == "text/event-stream" {
		return data(w)
	}
	return []string{w.Body.String()}
}

// wantConforms checks a result of a method against the proto.
func wantConforms(t *testing.T, method string, result []byte) {
	t.Helper()
	_, out := schema.Messages(method)
	if out == nil {
		t.Fatalf("%q has a result: %s", method, result)
	}
	if err := schema.Check(result, out); err != nil {
		t.Errorf("%s: %v: %s", method, err, result)
	}
}

// FuzzJSONRPC: whatever is posted, the answer is JSON-RPC responses, each with a result as the method
// has them or an error.
func FuzzJSONRPC(f *testing.F) {
	for _, body := range []string{
		"", "{", "[]", "null", `{"jsonrpc":"2.0"}`, rpc("1", "ListTasks", `{"pageSize":1}`), rpc(`"a"`, "GetTask", `{"id":"t1.x"}`),
		rpc("null", "SendMessage", message("ask Which?")), rpc("1e9", "CancelTask", `{"id":""}`), rpc("1", "SubscribeToTask", "[]"),
		rpc("-5", "SendStreamingMessage", message("artifact text x; say done")), rpc("1", "GetExtendedAgentCard", "{}"), rpc("1", "ListTasks", "null"),
	} {
		f.Add(body)
	}
	h := newHandler(f, "http://agent.test")
	f.Fuzz(func(t *testing.T, body string) {
		w := do(h, request("POST", "/", body, "Content-Type", "application/json"))
		var request map[string]json.RawMessage
		_ = json.Unmarshal([]byte(body), &request)
		var method string
		_ = json.Unmarshal(request["method"], &method)
		for _, raw := range answers(w) {
			var answer struct {
				JSONRPC string
				ID      json.RawMessage
				Result  json.RawMessage
				Error   *struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(raw), &answer); err != nil {
				t.Fatalf("got %q: %v", raw, err)
			}
			if w.Code != 200 || answer.JSONRPC != "2.0" || answer.ID == nil || (answer.Result == nil) == (answer.Error == nil) {
				t.Errorf("got %d %s, want one response", w.Code, raw)
			}
			if answer.Error != nil && (answer.Error.Code == 0 || answer.Error.Code == -32603 || answer.Error.Message == "") {
				t.Errorf("got error %+v, want the caller's fault named", answer.Error)
			}
			if answer.Result != nil {
				wantConforms(t, method, answer.Result)
			}
		}
	})
}

// restMethod is the method of a route that answered with a result.
func restMethod(method, path string) string {
	switch {
	case path == "/message:send":
		return "SendMessage"
	case path == "/message:stream":
		return "SendStreamingMessage"
	case path == "/tasks":
		return "ListTasks"
	case path == "/extendedAgentCard":
		return "GetExtendedAgentCard"
	case strings.HasSuffix(path, ":cancel") && method == "POST":
		return "CancelTask"
	case strings.HasSuffix(path, ":subscribe"):
		return "SubscribeToTask"
	}
	return "GetTask"
}

// FuzzREST: whatever is asked for, the answer is a result as the route's method has them, or a
// google.rpc.Status with the answer's own status.
func FuzzREST(f *testing.F) {
	for _, s := range [][3]string{
		{"GET", "/tasks?pageSize=1", ""}, {"GET", "/tasks/%41:b?history_length=1", ""}, {"POST", "/tasks/x:cancel", "null"},
		{"POST", "/message:send", message("x")}, {"DELETE", "/tasks/x/pushNotificationConfigs/y", ""}, {"GET", "/tasks/%zz", ""},
		{"POST", "/message:stream", message("piece a b")}, {"GET", "/extendedAgentCard", ""},
		{"POST", "/tasks/x/pushNotificationConfigs", `{"task_id":1}`}, {"GET", "//", ""}, {"GET", "/tasks?a=%0d%0a", ""},
	} {
		f.Add(s[0], s[1], s[2])
	}
	h := newHandler(f, "http://agent.test")
	f.Fuzz(func(t *testing.T, method, target, body string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || !strings.HasPrefix(target, "/") || u.Path == "/.well-known/agent-card.json" || u.Path == "/" {
			t.Skip("no request of this binding")
		}
		r := request("GET", "/", body, "Content-Type", "application/json")
		r.Method, r.URL, r.RequestURI = method, u, target
		r.Body = io.NopCloser(strings.NewReader(body))
		w := do(h, r)
		if w.Code == http.StatusOK {
			for _, result := range answers(w) {
				wantConforms(t, restMethod(method, u.Path), []byte(result))
			}
			return
		}
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s %s: got %d %q: %v", method, target, w.Code, w.Body, err)
		}
		var status struct {
			Code    int
			Status  string
			Details []json.RawMessage
		}
		if err := json.Unmarshal(answer["error"], &status); err != nil || status.Code != w.Code || status.Status == "" || len(status.Details) == 0 {
			t.Errorf("%s %s: got %d %s, want a status", method, target, w.Code, w.Body)
		}
		if w.Code >= 500 {
			t.Errorf("%s %s: got %d %s, want the caller's fault named", method, target, w.Code, w.Body)
		}
	})
}
