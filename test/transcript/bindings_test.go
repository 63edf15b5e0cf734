package transcript

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/interlude-a2a/interlude/test/schema"
)

// call is one call of the protocol.
type call struct {
	Method  string
	Params  map[string]any
	Headers map[string]string
}

// answer is what a caller saw of a call.
type answer struct {
	results   []json.RawMessage // the result, or a stream's events
	fault     *fault
	activated string
}

// fault is an error as every binding carries it.
type fault struct {
	Message    string
	Reason     string
	Metadata   map[string]string `json:",omitempty"`
	Violations []violation       `json:",omitempty"`
}

type violation struct{ Field, Description string }

// caller makes a call of a system by a binding.
type caller func(t *testing.T, s system, c call) answer

var callers = map[string]caller{"JSONRPC": byJSONRPC, "HTTP+JSON": byREST, "GRPC": byGRPC}

func ask(s system, method, target string, body []byte, headers map[string]string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, target, strings.NewReader(string(body)))
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	s.http.ServeHTTP(w, r)
	return w
}

// events are the data of a stream's events; of a plain answer, its body.
func events(w *httptest.ResponseRecorder) (all []json.RawMessage) {
	if w.Header().Get("Content-Type") != "text/event-stream" {
		return []json.RawMessage{w.Body.Bytes()}
	}
	for line := range strings.Lines(w.Body.String()) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			all = append(all, json.RawMessage(strings.TrimSpace(data)))
		}
	}
	return all
}

func byJSONRPC(t *testing.T, s system, c call) answer {
	t.Helper()
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": "r", "method": c.Method, "params": c.Params})
	if err != nil {
		t.Fatal(err)
	}
	w := ask(s, "POST", "/", body, c.Headers)
	out := answer{activated: w.Header().Get("A2A-Extensions")}
	for _, raw := range events(w) {
		var response struct {
			JSONRPC, ID string
			Result      json.RawMessage
			Error       *struct {
				Code    int
				Message string
				Data    []json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &response); err != nil || response.JSONRPC != "2.0" || response.ID != "r" || (response.Result == nil) == (response.Error == nil) {
			t.Fatalf("%s: no response of JSON-RPC: %s", c.Method, raw)
		}
		if response.Error != nil {
			out.fault = faultOf(t, response.Error.Message, response.Error.Data)
			continue
		}
		out.results = append(out.results, response.Result)
	}
	return out
}

// faultOf reads an error's details.
func faultOf(t *testing.T, message string, details []json.RawMessage) *fault {
	t.Helper()
	f := &fault{Message: message}
	for _, raw := range details {
		var detail struct {
			Type            string `json:"@type"`
			Reason, Domain  string
			Metadata        map[string]string
			FieldViolations []violation
		}
		if err := json.Unmarshal(raw, &detail); err != nil {
			t.Fatalf("no detail: %s", raw)
		}
		switch detail.Type {
		case "type.googleapis.com/google.rpc.ErrorInfo":
			f.Reason, f.Metadata = detail.Reason, detail.Metadata
			if detail.Domain != "a2a-protocol.org" {
				t.Errorf("domain %q", detail.Domain)
			}
		case "type.googleapis.com/google.rpc.BadRequest":
			f.Violations = detail.FieldViolations
		default:
			t.Errorf("detail of type %q", detail.Type)
		}
	}
	return f
}

// routes are a method's HTTP method and path; the parameters in braces stand in the path.
var routes = map[string]string{
	"SendMessage":                      "POST /message:send",
	"SendStreamingMessage":             "POST /message:stream",
	"GetTask":                          "GET /tasks/{id}",
	"ListTasks":                        "GET /tasks",
	"CancelTask":                       "POST /tasks/{id}:cancel",
	"SubscribeToTask":                  "GET /tasks/{id}:subscribe",
	"CreateTaskPushNotificationConfig": "POST /tasks/{taskId}/pushNotificationConfigs",
	"ListTaskPushNotificationConfigs":  "GET /tasks/{taskId}/pushNotificationConfigs",
	"GetTaskPushNotificationConfig":    "GET /tasks/{taskId}/pushNotificationConfigs/{id}",
	"DeleteTaskPushNotificationConfig": "DELETE /tasks/{taskId}/pushNotificationConfigs/{id}",
	"GetExtendedAgentCard":             "GET /extendedAgentCard",
}

func byREST(t *testing.T, s system, c call) answer {
	t.Helper()
	method, path, _ := strings.Cut(routes[c.Method], " ")
	rest, query := map[string]any{}, url.Values{}
	for name, value := range c.Params {
		if strings.Contains(path, "{"+name+"}") {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(value.(string)))
			continue
		}
		rest[name] = value
		query.Set(name, fmt.Sprint(value))
	}
	var body []byte
	if method == http.MethodPost {
		var err error
		if body, err = json.Marshal(rest); err != nil {
			t.Fatal(err)
		}
	} else {
		path += "?" + query.Encode()
	}
	w := ask(s, method, path, body, c.Headers)
	out := answer{activated: w.Header().Get("A2A-Extensions")}
	for _, raw := range events(w) {
		var failed struct {
			Error *struct {
				Code    int
				Status  string
				Message string
				Details []json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &failed); err != nil {
			t.Fatalf("%s: no JSON: %s", c.Method, raw)
		}
		if failed.Error != nil {
			if failed.Error.Code != w.Code || failed.Error.Status == "" {
				t.Errorf("%s: %d with %s", c.Method, w.Code, raw)
			}
			out.fault = faultOf(t, failed.Error.Message, failed.Error.Details)
			continue
		}
		out.results = append(out.results, raw)
	}
	return out
}

func byGRPC(t *testing.T, s system, c call) answer {
	t.Helper()
	raw, err := json.Marshal(c.Params)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := schema.Messages(c.Method)
	if err := protojson.Unmarshal(raw, in); err != nil {
		t.Fatalf("%s %s: %v", c.Method, raw, err)
	}
	ctx := t.Context()
	for name, value := range c.Headers {
		ctx = metadata.AppendToOutgoingContext(ctx, name, value)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := s.conn.NewStream(ctx, &rpc.StreamDesc{ServerStreams: true}, "/lf.a2a.v1.A2AService/"+c.Method)
	if err == nil {
		err = stream.SendMsg(in)
	}
	if err == nil {
		err = stream.CloseSend()
	}
	var out answer
	for err == nil {
		_, message := schema.Messages(c.Method)
		if err = stream.RecvMsg(message); err != nil {
			break
		}
		result, failed := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(message) // whose absence nobody can see
		if failed != nil {
			t.Fatal(failed)
		}
		out.results = append(out.results, result)
	}
	if header, err := stream.Header(); err == nil {
		out.activated = strings.Join(header.Get("a2a-extensions"), "")
	}
	if err != io.EOF {
		out.fault = faultOfStatus(t, status.Convert(err))
	}
	return out
}

func faultOfStatus(t *testing.T, s *status.Status) *fault {
	t.Helper()
	f := &fault{Message: s.Message()}
	for _, d := range s.Details() {
		switch d := d.(type) {
		case *errdetails.ErrorInfo:
			f.Reason, f.Metadata = d.Reason, d.Metadata
		case *errdetails.BadRequest:
			for _, v := range d.FieldViolations {
				f.Violations = append(f.Violations, violation{v.Field, v.Description})
			}
		default:
			t.Errorf("detail of type %T", d)
		}
	}
	return f
}
