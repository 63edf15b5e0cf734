package binding_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/binding/httpcall"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// What JSON-RPC answers to what it can't take: status, id and code.
func TestJSONRPCRefuses(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for _, tt := range []struct {
		name   string
		r      *http.Request
		status int
		want   string // beginning of the body
	}{
		{"no JSON", request("POST", "/", `{`), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"empty", request("POST", "/", "", "Content-Type", "application/json"), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"not UTF-8", request("POST", "/", "\"\xff\""), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,`},
		{"a number", request("POST", "/", `1`), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"null", request("POST", "/", `null`), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"batch", request("POST", "/", `[`+rpc("1", "ListTasks", "{}")+`]`), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"deep", request("POST", "/", rpc("1", "ListTasks", strings.Repeat("[", 200)+strings.Repeat("]", 200))), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"as deep as HTTP takes", request("POST", "/", rpc("1", "SendMessage", deepMessage(a2a.MaxDepth))), 200, `{"jsonrpc":"2.0","id":1,"result":`},
		{"deeper", request("POST", "/", rpc("1", "SendMessage", deepMessage(a2a.MaxDepth+1))), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"name twice in params", request("POST", "/", rpc(`"a"`, "GetTask", `{"id":"x","id":"y"}`)), 200, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,`},
		{"number in params", request("POST", "/", rpc("7", "GetTask", `{"id":1e999}`)), 200, `{"jsonrpc":"2.0","id":7,"error":{"code":-32600,`},
		{"number as id", request("POST", "/", rpc("1e999", "GetTask", `{}`)), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"name twice, and no good id", request("POST", "/", rpc("{}", "GetTask", `{"id":"x","id":"y"}`)), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"name twice", request("POST", "/", `{"id":1,"id":2}`), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"notification", request("POST", "/", `{"jsonrpc":"2.0","method":"ListTasks"}`), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"id object", request("POST", "/", rpc("{}", "ListTasks", "{}")), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"id boolean", request("POST", "/", rpc("true", "ListTasks", "{}")), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"id too long", request("POST", "/", rpc(`"`+strings.Repeat("i", 300)+`"`, "ListTasks", "{}")), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"no jsonrpc", request("POST", "/", `{"id":1,"method":"ListTasks"}`), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"jsonrpc 1.0", request("POST", "/", `{"jsonrpc":"1.0","id":1,"method":"ListTasks"}`), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"method number", request("POST", "/", `{"jsonrpc":"2.0","id":1,"method":7}`), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"Method in capitals", request("POST", "/", `{"jsonrpc":"2.0","id":1,"METHOD":"ListTasks"}`), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,`},
		{"unknown method", request("POST", "/", rpc("1", "message/send", "{}")), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32601,`},
		{"params array", request("POST", "/", rpc("1", "ListTasks", "[]")), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"bad field", request("POST", "/", rpc("1", "ListTasks", `{"pageSize":0}`)), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,`},
		{"no version, SPEC-01", request("POST", "/", rpc("1", "ListTasks", "{}"), "A2A-Version", ""), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32009,`},
		{"version 99.0", request("POST", "/", rpc("1", "ListTasks", "{}"), "A2A-Version", "99.0"), 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32009,`},
		{"text/plain, R-66", request("POST", "/", `{'`, "Content-Type", "text/plain"), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32005,`},
		{"no content type", request("POST", "/", rpc("1", "ListTasks", "{}"), "Content-Type", ""), 200, `{"jsonrpc":"2.0","id":null,"error":{"code":-32005,`},
		{"GET", request("GET", "/", ""), 405, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"over 4 MiB, R-53", request("POST", "/", strings.Repeat(" ", httpcall.MaxBody+1)), 413, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`},
		{"nobody, R-14", request("GET", "/", "", "Authorization", ""), 401, `{"error":{"code":401,"status":"UNAUTHENTICATED",`},
		{"authentication fails", request("POST", "/", `{`, "Authorization", "Bearer broken"), 500, `{"error":{"code":500,"status":"INTERNAL",`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := do(h, tt.r)
			body := w.Body.String()
			if w.Code != tt.status || !strings.HasPrefix(body, tt.want) || !json.Valid(w.Body.Bytes()) {
				t.Errorf("got %d %s, want %d %s…", w.Code, body, tt.status, tt.want)
			}
			if got := w.Header().Get("Content-Type"); got != "application/json" {
				t.Errorf("got content type %q, want application/json", got)
			}
			if strings.Contains(body, "secret") {
				t.Errorf("got %s, want no internal text", body)
			}
			if got := w.Header().Get("WWW-Authenticate"); (tt.status == 401) != (got == `Bearer realm="test"`) {
				t.Errorf("got challenge %q with status %d", got, w.Code)
			}
			if got := w.Header().Get("Allow"); (tt.status == 405) != (got == "POST") {
				t.Errorf("got Allow %q with status %d", got, w.Code)
			}
		})
	}
}

// An id comes back as it was written.
func TestJSONRPCEchoesIDs(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for _, id := range []string{`1`, `"a"`, `""`, `null`, `-1.50`, `12345678901234567890`, `1e3`, `"ä\u00e9<>&"`} {
		got := do(h, request("POST", "/", rpc(id, "ListTasks", "{}"))).Body.String()
		want := `{"jsonrpc":"2.0","id":` + id + `,"result":{"tasks":[],"nextPageToken":"","pageSize":50,"totalSize":0}}`
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// SRV-26: the four operations over JSON-RPC; SPEC-01: the version may stand in the query.
func TestJSONRPCOperations(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	var sent struct {
		Result struct{ Task struct{ ID string } }
	}
	w := do(h, request("POST", "/?A2A-Version=1.0", rpc("1", "SendMessage", message("ask Which?")), "A2A-Version", ""))
	if err := json.Unmarshal(w.Body.Bytes(), &sent); err != nil || sent.Result.Task.ID == "" {
		t.Fatalf("got %s, want a task", w.Body)
	}
	id := `{"id":"` + sent.Result.Task.ID + `"}`
	for _, tt := range []struct{ method, params, want string }{
		{"GetTask", id, `"result":{"id":"` + sent.Result.Task.ID + `","contextId":"c-1","status":{"state":"TASK_STATE_INPUT_REQUIRED"`},
		{"ListTasks", "{}", `"result":{"tasks":[{"id":"` + sent.Result.Task.ID},
		{"CancelTask", id, `"state":"TASK_STATE_CANCELED"`},
		{"GetExtendedAgentCard", "null", `"code":-32004`},
	} {
		if got := do(h, request("POST", "/", rpc("1", tt.method, tt.params))).Body.String(); !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %s, want %s", tt.method, got, tt.want)
		}
	}
}

// SPEC-02: the answer lists what was activated, and nothing that the caller made up.
func TestActivationIsTold(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	r := request("POST", "/", rpc("1", "ListTasks", "{}"), "A2A-Extensions", "urn:unknown, "+interaction.URI)
	if got := do(h, r).Header().Get("A2A-Extensions"); got != interaction.URI {
		t.Errorf("got %q, want %q", got, interaction.URI)
	}
	if got := do(h, request("GET", "/tasks", "")).Header().Values("A2A-Extensions"); got != nil {
		t.Errorf("got %q, want no header", got)
	}
}
