package binding_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// data are the data lines of a stream.
func data(w *httptest.ResponseRecorder) (lines []string) {
	for _, line := range strings.Split(w.Body.String(), "\n") {
		if d, ok := strings.CutPrefix(line, "data: "); ok {
			lines = append(lines, d)
		}
	}
	return lines
}

// SPEC-08, SPEC-16: a stream by both bindings is the same, each event in its binding's own wrapping.
func TestStreams(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	byRPC := do(h, request("POST", "/", rpc(`"s-1"`, "SendStreamingMessage", message("say one; artifact text x"))))
	byREST := do(h, request("POST", "/message:stream", message("say one; artifact text x")))
	for name, w := range map[string]*httptest.ResponseRecorder{"JSON-RPC": byRPC, "HTTP+JSON": byREST} {
		if w.Code != 200 || w.Header().Get("Content-Type") != "text/event-stream" || !w.Flushed {
			t.Fatalf("%s: got %d %q", name, w.Code, w.Header().Get("Content-Type"))
		}
	}
	rest, rpcs := data(byREST), data(byRPC)
	if len(rest) != 5 || len(rpcs) != len(rest) {
		t.Fatalf("got %d and %d events:\n%s", len(rest), len(rpcs), byREST.Body)
	}
	kinds := []string{"task", "statusUpdate", "statusUpdate", "artifactUpdate", "statusUpdate"}
	for i, line := range rpcs {
		var wrapped struct {
			JSONRPC string
			ID      string
			Result  map[string]json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &wrapped); err != nil || wrapped.JSONRPC != "2.0" || wrapped.ID != "s-1" || wrapped.Result[kinds[i]] == nil || len(wrapped.Result) != 1 {
			t.Errorf("JSON-RPC event %d: %s", i, line)
		}
		var bare map[string]json.RawMessage
		if err := json.Unmarshal([]byte(rest[i]), &bare); err != nil || bare[kinds[i]] == nil || len(bare) != 1 {
			t.Errorf("HTTP+JSON event %d: %s", i, rest[i])
		}
	}
}

// What is wrong before a stream begins is a plain answer, not an event.
func TestErrorsBeforeStreams(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	for _, w := range []*httptest.ResponseRecorder{
		do(h, request("POST", "/", rpc("1", "SubscribeToTask", `{"id":"t1.none"}`))),
		do(h, request("GET", "/tasks/t1.none:subscribe", "")),
		do(h, request("POST", "/tasks/t1.none:subscribe", "")),
		do(h, request("POST", "/message:stream", `{"message":{}}`)),
	} {
		if got := w.Header().Get("Content-Type"); got != "application/json" || !json.Valid(w.Body.Bytes()) {
			t.Errorf("got %d %q %s", w.Code, got, w.Body)
		}
	}
}

// a subscription by GET and by POST, continued behind the last event that was seen.
func TestSubscriptions(t *testing.T) {
	t.Parallel()
	h := newHandler(t, "http://agent.test")
	sent := do(h, request("POST", "/message:send", message("artifact text x; say done")))
	var task struct{ Task struct{ ID string } }
	if err := json.Unmarshal(sent.Body.Bytes(), &task); err != nil {
		t.Fatal(err)
	}
	of := task.Task.ID[len(task.Task.ID)-6:] + "-"
	for _, method := range []string{"GET", "POST"} {
		w := do(h, request(method, "/tasks/"+task.Task.ID+":subscribe", "", "Last-Event-ID", of+"3"))
		lines := data(w)
		if len(lines) != 2 || !strings.Contains(lines[0], `"artifactUpdate"`) || !strings.Contains(lines[1], "COMPLETED") || !strings.Contains(w.Body.String(), "id: "+of+"5\n") {
			t.Errorf("%s: got %d %s", method, w.Code, w.Body)
		}
	}
}
