package binding_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/binding/httpcall"
)

// Every route, and what it answers: SPEC-13, SPEC-14, R-23, R-24.
func TestRESTRoutes(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for _, tt := range []struct {
		method, target, body string
		status               int
		want                 string // part of the body
	}{
		{"POST", "/message:send", message("ask Which?"), 200, `{"task":{"id":"t1.`},
		{"POST", "/message:send", message("message hi"), 200, `{"message":{"messageId":`},
		{"POST", "/message:send", `{}`, 400, `"field":"message"`},
		{"POST", "/message:send", ``, 400, `"field":"message"`},
		{"POST", "/message:stream", `{}`, 400, `"field":"message"`},
		{"GET", "/tasks", ``, 200, `"totalSize":`},
		{"GET", "/tasks/t1.none", ``, 404, `"reason":"TASK_NOT_FOUND"`},
		{"GET", "/tasks/a%2Fb%3Acancel", ``, 404, `"taskId":"a/b:cancel"`},
		{"GET", "/tasks/a:b", ``, 404, `"taskId":"a:b"`},
		{"GET", "/tasks/a%0Ab", ``, 400, `"field":"id"`},
		{"POST", "/tasks/t1.none:cancel", ``, 404, `"reason":"TASK_NOT_FOUND"`},
		{"POST", "/tasks/t1.none:cancel", `null`, 404, `"reason":"TASK_NOT_FOUND"`},
		{"POST", "/tasks/t1.none:cancel", `{"id":"t1.none","metadata":{}}`, 404, `"reason":"TASK_NOT_FOUND"`},
		{"POST", "/tasks/t1.none:cancel", `{"id":"t1.other"}`, 400, `"field":"id"`},
		{"POST", "/tasks/t1.none:cancel", `[]`, 400, `"field":"body"`},
		{"POST", "/tasks/a:b:cancel", ``, 404, `"taskId":"a:b"`},
		{"GET", "/tasks/t1.none:subscribe", ``, 404, `"reason":"TASK_NOT_FOUND"`},
		{"POST", "/tasks/t1.none:subscribe", ``, 404, `"reason":"TASK_NOT_FOUND"`},
		{"POST", "/tasks/t1.none/pushNotificationConfigs", `{"url":"https://a.example"}`, 400, `"reason":"PUSH_NOTIFICATION_NOT_SUPPORTED"`},
		{"GET", "/tasks/t1.none/pushNotificationConfigs", ``, 400, `"reason":"PUSH_NOTIFICATION_NOT_SUPPORTED"`},
		{"GET", "/tasks/t1.none/pushNotificationConfigs/c", ``, 400, `"reason":"PUSH_NOTIFICATION_NOT_SUPPORTED"`},
		{"DELETE", "/tasks/t1.none/pushNotificationConfigs/c", ``, 400, `"reason":"PUSH_NOTIFICATION_NOT_SUPPORTED"`},
		{"GET", "/extendedAgentCard", ``, 400, `"reason":"UNSUPPORTED_OPERATION"`},
		{"GET", "/nothing", ``, 404, `"reason":"METHOD_NOT_FOUND"`},
		{"GET", "/tasks/", ``, 404, `"reason":"METHOD_NOT_FOUND"`},
		{"GET", "/acme/tasks", ``, 404, `"reason":"METHOD_NOT_FOUND"`},
		{"POST", "/message:send", `{`, 400, `"reason":"PARSE_ERROR"`},
		{"POST", "/message:send", `{"message":1,"message":2}`, 400, `"reason":"INVALID_REQUEST"`},
		{"POST", "/message:send", strings.Repeat(" ", httpcall.MaxBody+1), 413, `"code":413`},
	} {
		w := do(h, request(tt.method, tt.target, tt.body))
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) || !json.Valid(w.Body.Bytes()) {
			t.Errorf("%s %s %.40s: got %d %s, want %d %s", tt.method, tt.target, tt.body, w.Code, w.Body, tt.status, tt.want)
		}
	}
}

// A method that a resource does not take: 405, with those it does.
func TestRESTAllows(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for _, tt := range []struct{ method, target, allow string }{
		{"GET", "/message:send", "POST"},
		{"POST", "/tasks", "GET"},
		{"POST", "/tasks/t1.x", "GET"},
		{"POST", "/tasks/t1.x:pause", "GET"}, // no verb: of the id
		{"GET", "/tasks/t1.x:cancel", "POST"},
		{"PUT", "/tasks/t1.x:subscribe", "GET, POST"},
		{"DELETE", "/tasks/t1.x/pushNotificationConfigs", "GET, POST"},
		{"POST", "/tasks/t1.x/pushNotificationConfigs/c", "DELETE, GET"},
		{"POST", "/.well-known/agent-card.json", "GET, HEAD, OPTIONS"},
	} {
		w := do(h, request(tt.method, tt.target, ""))
		if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != tt.allow {
			t.Errorf("%s %s: got %d, Allow %q, want 405, %q", tt.method, tt.target, w.Code, w.Header().Get("Allow"), tt.allow)
		}
	}
}

// Query parameters are read in both spellings, each once; what is unknown is ignored.
func TestRESTQueries(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	if w := do(h, request("POST", "/message:send", message("x"))); w.Code != 200 {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	for _, tt := range []struct {
		query  string
		status int
		want   string
	}{
		{"", 200, `"pageSize":50`},
		{"pageSize=7", 200, `"pageSize":7`},
		{"page_size=7&history_length=1&include_artifacts=true", 200, `"artifacts":[`},
		{"historyLength=1", 200, `"history":[`},
		{"includeArtifacts=false", 200, `"tasks":[{`},
		{"contextId=c%2D1&status=TASK_STATE_COMPLETED", 200, `"tasks":[{`},
		{"contextId=other", 200, `"tasks":[]`},
		{"status=&pageToken=&utm=1", 200, `"tasks":[{`},
		{"statusTimestampAfter=2100-01-01T00:00:00Z", 200, `"tasks":[]`},
		{"statusTimestampAfter=2100-01-01T02:00:00%2B02:00", 200, `"tasks":[]`},
		{"pageSize=0", 400, `"field":"pageSize"`},
		{"pageSize=many", 400, `"field":"pageSize"`},
		{"pageSize=1&pageSize=2", 400, `"field":"pageSize"`},
		{"pageSize=1&page_size=1", 400, `"field":"pageSize"`},
		{"includeArtifacts=yes", 400, `"field":"includeArtifacts"`},
		{"status=DONE", 400, `"field":"status"`},
		{"pageToken=forged", 400, `"field":"pageToken"`},
		{"pageSize=%zz", 400, `"field":"query"`},
	} {
		w := do(h, request("GET", "/tasks?"+tt.query, ""))
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: got %d %s, want %d %s", tt.query, w.Code, w.Body, tt.status, tt.want)
		}
	}
}

// SPEC-16, R-66: media types of requests and answers.
func TestRESTMediaTypes(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	const plain, own = "application/json", "application/a2a+json"
	for _, tt := range []struct {
		sent, accept string
		status       int
		want         string
	}{
		{plain, "", 200, plain},
		{own, "", 200, own},
		{own + "; charset=utf-8", "*/*", 200, own},
		{plain, own, 200, own},
		{own, plain, 200, plain},
		{own, plain + ", " + own, 200, plain},
		{plain, own + ", text/event-stream", 200, own},
		{"text/plain", "", 415, plain},
		{"application/x-www-form-urlencoded", "", 415, plain},
		{"nonsense;;", "", 415, plain},
		{"", "", 415, plain},
		{plain, "text/html, application/*;q=0.5", 200, plain},
		{plain, "*/*;q=0, " + own, 200, own},
		{plain, "text/html, */*;q=0.1", 200, plain},
		{plain, "text/html", 406, plain},
		{plain, plain + ";q=0.000", 406, plain},
		{plain, "*/*, " + plain + ";q=0", 200, own},
		{plain, "*/*, application/*;q=0", 406, plain},
		{plain, "*/*, application/*;q=0, " + plain, 200, plain},
		{plain, "text/event-stream", 406, plain},
	} {
		w := do(h, request("POST", "/message:send", message("x"), "Content-Type", tt.sent, "Accept", tt.accept))
		if got := w.Header().Get("Content-Type"); w.Code != tt.status || got != tt.want {
			t.Errorf("sent %q, accepts %q: got %d %q, want %d %q", tt.sent, tt.accept, w.Code, got, tt.status, tt.want)
		}
	}
}

// A stream is taken by who accepts streams, and its errors too; a compressed body is refused.
func TestRESTStreamsAndCodings(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for _, tt := range []struct {
		target, name, value string
		status              int
	}{
		{"/message:stream", "Accept", "text/event-stream", 200},
		{"/message:stream", "Accept", "text/html", 406},
		{"/tasks/t1.none:subscribe", "Accept", "text/event-stream", 404},
		{"/message:send", "Content-Encoding", "gzip", 415},
		{"/message:send", "Content-Encoding", "Identity", 200},
	} {
		if w := do(h, request("POST", tt.target, message("x"), tt.name, tt.value)); w.Code != tt.status {
			t.Errorf("%s with %s %s: got %d %s, want %d", tt.target, tt.name, tt.value, w.Code, w.Body, tt.status)
		}
	}
}

// R-14, SPEC-01: who is calling comes first, then the route, then the version.
func TestRESTOrderOfChecks(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for _, tt := range []struct {
		r      *http.Request
		status int
		want   string
	}{
		{request("GET", "/nothing", "", "Authorization", "", "A2A-Version", ""), 401, `"status":"UNAUTHENTICATED"`},
		{request("GET", "/nothing", "", "A2A-Version", ""), 404, `"reason":"METHOD_NOT_FOUND"`},
		{request("POST", "/message:send", "{", "A2A-Version", ""), 400, `"reason":"VERSION_NOT_SUPPORTED"`},
		{request("GET", "/tasks", "", "A2A-Version", "1.0.7"), 200, `"tasks"`},
		{request("GET", "/tasks?A2A-Version=1.0", "", "A2A-Version", ""), 200, `"tasks"`},
		{request("GET", "/tasks?a2a-version=1.0", "", "A2A-Version", ""), 200, `"tasks"`},
		{request("GET", "/tasks?A2A-Version=1.0", "", "A2A-Version", "0.3"), 400, `"reason":"VERSION_NOT_SUPPORTED"`},
	} {
		if w := do(h, tt.r); w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: got %d %s, want %d %s", tt.r.URL, w.Code, w.Body, tt.status, tt.want)
		}
	}
}

// a version that is asked for twice is none unless it is the same, whatever the order.
func TestVersionInTwoSpellings(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for query, want := range map[string]int{
		"a2a-version=&A2A-Version=1.0":    200,
		"a2a-version=1.0&A2A-Version=1.0": 200,
		"a2a-version=2.0&A2A-Version=1.0": 400,
		"A2A-Version=1.0&A2A-Version=2.0": 400,
	} {
		for range 16 { // of a map's orders
			if w := do(h, request("GET", "/tasks?"+query, "", "A2A-Version", "")); w.Code != want {
				t.Fatalf("%s: got %d %s, want %d", query, w.Code, w.Body, want)
			}
		}
	}
}

// the header that makes a new message idempotent.
func TestIdempotencyKeyHeader(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	send := func(body string) (int, string) {
		w := do(h, request("POST", "/message:send", body, "Idempotency-Key", "order-7"))
		return w.Code, w.Body.String()
	}
	_, first := send(message("x"))
	if code, again := send(message("x")); code != 200 || again != first {
		t.Errorf("got %d %s, want 200 %s", code, again, first)
	}
	if code, body := send(message("y")); code != 400 || !strings.Contains(body, `"field":"Idempotency-Key"`) {
		t.Errorf("got %d %s, want 400 and the field", code, body)
	}
}

// bytes that are no UTF-8 are refused, not read as another id.
func TestRESTRefusesBadUTF8(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for target, field := range map[string]string{"/tasks/%ff": "id", "/tasks?contextId=%ff": "contextId"} {
		w := do(h, request("GET", target, ""))
		if want := `"field":"` + field + `"`; w.Code != 400 || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want 400 with %s", target, w.Code, w.Body, want)
		}
	}
}
