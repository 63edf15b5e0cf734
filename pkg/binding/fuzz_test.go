package binding_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// FuzzJSONRPC: whatever is posted, the answer is one JSON-RPC response with a result or an error.
func FuzzJSONRPC(f *testing.F) {
	for _, body := range []string{
		"", "{", "[]", "null", `{"jsonrpc":"2.0"}`, rpc("1", "ListTasks", `{"pageSize":1}`), rpc(`"a"`, "GetTask", `{"id":"t1.x"}`),
		rpc("null", "SendMessage", message("ask Which?")), rpc("1e9", "CancelTask", `{"id":""}`), rpc("1", "SubscribeToTask", "[]"),
	} {
		f.Add(body)
	}
	h := newHandler(f, "http://agent.test")
	f.Fuzz(func(t *testing.T, body string) {
		w := do(h, request("POST", "/", body, "Content-Type", "application/json"))
		var answer struct {
			JSONRPC string
			ID      json.RawMessage
			Result  json.RawMessage
			Error   *struct {
				Code    int
				Message string
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("got %q: %v", w.Body, err)
		}
		if w.Code != 200 || answer.JSONRPC != "2.0" || answer.ID == nil || (answer.Result == nil) == (answer.Error == nil) {
			t.Errorf("got %d %s, want one response", w.Code, w.Body)
		}
		if answer.Error != nil && (answer.Error.Code == 0 || answer.Error.Code == -32603 || answer.Error.Message == "") {
			t.Errorf("got error %+v, want the caller's fault named", answer.Error)
		}
	})
}

// FuzzREST: whatever is asked for, the answer is JSON: a result, or a google.rpc.Status with the
// answer's own status.
func FuzzREST(f *testing.F) {
	for _, s := range [][3]string{
		{"GET", "/tasks?pageSize=1", ""}, {"GET", "/tasks/%41:b?history_length=1", ""}, {"POST", "/tasks/x:cancel", "null"},
		{"POST", "/message:send", message("x")}, {"DELETE", "/tasks/x/pushNotificationConfigs/y", ""}, {"GET", "/tasks/%zz", ""},
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
		var answer map[string]json.RawMessage
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil {
			t.Fatalf("%s %s: got %d %q: %v", method, target, w.Code, w.Body, err)
		}
		if w.Code == http.StatusOK {
			return
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
