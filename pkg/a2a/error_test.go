package a2a

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// ERR-01, ERR-02, ERR-03, ERR-04, ERR-06, SPEC-14.
func TestErrorStatus(t *testing.T) {
	t.Parallel()
	tests := []struct {
		code, http   int
		grpc, reason string
	}{
		{-32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR"},
		{-32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST"},
		{-32601, 404, "UNIMPLEMENTED", "METHOD_NOT_FOUND"},
		{-32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS"},
		{-32603, 500, "INTERNAL", "INTERNAL_ERROR"},
		{-32001, 404, "NOT_FOUND", "TASK_NOT_FOUND"},
		{-32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"},
		{-32003, 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"},
		{-32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"},
		{-32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"},
		{-32006, 500, "INTERNAL", "INVALID_AGENT_RESPONSE"},
		{-32007, 400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"},
		{-32008, 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"},
		{-32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"},
		{-32099, 403, "PERMISSION_DENIED", "PERMISSION_DENIED"},
		{-32000, 429, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"},
	}
	for _, tt := range tests {
		gotHTTP, gotGRPC, gotReason := ErrorStatus(tt.code)
		if gotHTTP != tt.http || gotGRPC != tt.grpc || gotReason != tt.reason {
			t.Errorf("ErrorStatus(%d): got %d, %s, %s, want %d, %s, %s",
				tt.code, gotHTTP, gotGRPC, gotReason, tt.http, tt.grpc, tt.reason)
		}
		if got := ErrorCode(tt.reason, 1); got != tt.code {
			t.Errorf("ErrorCode(%s): got %d, want %d", tt.reason, got, tt.code)
		}
	}
	if len(statuses) != len(tests) {
		t.Errorf("got %d codes, want %d", len(statuses), len(tests))
	}
	for _, reason := range []string{"", "NO_SUCH_REASON", "task_not_found"} {
		if got := ErrorCode(reason, -32603); got != -32603 {
			t.Errorf("ErrorCode(%q): got %d, want the fallback", reason, got)
		}
	}
	if got, _, reason := ErrorStatus(12); got != 500 || reason != "INTERNAL_ERROR" {
		t.Errorf("ErrorStatus of an unknown code: got %d, %s, want 500, INTERNAL_ERROR", got, reason)
	}
}

// SPEC-13.
func TestErrorJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name          string
		err           *Error
		status        int
		jsonrpc, http string
	}{
		{
			"reason and metadata", ErrTaskNotFound("t1.<x>"), 404,
			`{"code":-32001,"message":"Task not found","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t1.<x>"}}]}`,
			`{"error":{"code":404,"status":"NOT_FOUND","message":"Task not found","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"taskId":"t1.<x>"}}]}}`,
		},
		{
			"bad fields", ErrInvalidParams("message.parts", "must have at least one part"), 400,
			`{"code":-32602,"message":"Invalid parameters","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMS","domain":"a2a-protocol.org"},{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.parts","description":"must have at least one part"}]}]}`,
			`{"error":{"code":400,"status":"INVALID_ARGUMENT","message":"Invalid parameters","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"INVALID_PARAMS","domain":"a2a-protocol.org"},{"@type":"type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"message.parts","description":"must have at least one part"}]}]}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			written, err := Marshal(tt.err)
			if err != nil || string(written) != tt.jsonrpc {
				t.Errorf("JSON-RPC: got %s, %v, want %s", written, err, tt.jsonrpc)
			}
			body := EncodeHTTPError(tt.err, tt.status)
			if string(body) != tt.http {
				t.Errorf("HTTP: got %s, want %s", body, tt.http)
			}
			var back Error
			if err := json.Unmarshal(written, &back); err != nil {
				t.Fatalf("got error %v", err)
			}
			for _, got := range []*Error{&back, DecodeHTTPError(tt.status, body)} {
				if diff := cmp.Diff(tt.err, got, cmpopts.IgnoreFields(Error{}, "Data")); diff != "" {
					t.Errorf("read back differs (-want +got):\n%s", diff)
				}
				if len(got.Data) == 0 {
					t.Error("got no data, want the details as sent")
				}
			}
		})
	}
}

// ERR-05: the reason decides over the number and over the status of an older server.
func TestErrorByReason(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		status int
		body   string
		want   int
	}{
		{"1.0.0 status with reason", 501, `{"error":{"code":501,"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"UNSUPPORTED_OPERATION"}]}}`, CodeUnsupportedOperation},
		{"unknown reason", 409, `{"error":{"message":"no","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"NEW"}]}}`, CodeTaskNotCancelable},
		{"other detail first", 400, `{"error":{"message":"no","details":[7,{"@type":"x"},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"VERSION_NOT_SUPPORTED"}]}}`, CodeVersionNotSupported},
		{"no details", 404, `{"error":{"message":"no"}}`, CodeTaskNotFound},
		{"shared status, named", 400, `{"error":{"status":"FAILED_PRECONDITION","message":"no"}}`, CodeUnsupportedOperation},
		{"shared status, oddly named", 400, `{"error":{"status":"ODD"}}`, CodeInternal},
		{"a status of its own, named", 409, `{"error":{"status":"FAILED_PRECONDITION"}}`, CodeTaskNotCancelable},
		{"1.0.0 status", 501, `{}`, CodeUnsupportedOperation},
		{"no JSON", 415, `<html>`, CodeContentTypeNotSupported},
		{"empty", 400, ``, CodeInvalidParams},
		{"forbidden", 403, `{}`, CodePermissionDenied},
		{"no such route", 405, `{}`, CodeMethodNotFound},
		{"bad gateway", 502, `null`, CodeInvalidAgentResponse},
		{"overload", 503, `[]`, CodeInternal},
	}
	for _, tt := range tests {
		got := DecodeHTTPError(tt.status, []byte(tt.body))
		if got.Code != tt.want {
			t.Errorf("%s: got code %d, want %d", tt.name, got.Code, tt.want)
		}
		if got.Message == "" {
			t.Errorf("%s: got no message", tt.name)
		}
	}
	var e Error
	err := json.Unmarshal([]byte(`{"code":-32050,"message":"m","data":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"PERMISSION_DENIED"}]}`), &e)
	if err != nil || e.Code != CodePermissionDenied {
		t.Errorf("JSON-RPC: got code %d, %v, want %d", e.Code, err, CodePermissionDenied)
	}
	if err := json.Unmarshal([]byte(`{"code":"x"}`), &e); err == nil {
		t.Error("JSON-RPC with a code that is no number: got no error")
	}
}

// A status that a server gives whatever the code is names itself.
func TestEncodeHTTPErrorWithOtherStatus(t *testing.T) {
	t.Parallel()
	tests := map[int]string{
		http.StatusUnauthorized:         "UNAUTHENTICATED",
		http.StatusTooManyRequests:      "RESOURCE_EXHAUSTED",
		http.StatusServiceUnavailable:   "UNAVAILABLE",
		http.StatusUnsupportedMediaType: "INVALID_ARGUMENT",
	}
	for status, want := range tests {
		var got struct{ Error httpError }
		if err := json.Unmarshal(EncodeHTTPError(ErrContentTypeNotSupported("text/html"), status), &got); err != nil {
			t.Fatal(err)
		}
		if got.Error.Status != want || got.Error.Code != status {
			t.Errorf("got %d %s, want %d %s", got.Error.Code, got.Error.Status, status, want)
		}
	}
}

// Each constructor makes the error it names, with a message and without internal text.
func TestErrorConstructors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		err      *Error
		code     int
		metadata map[string]string
	}{
		{ErrParse(), CodeParseError, nil},
		{ErrInvalidRequest("no"), CodeInvalidRequest, nil},
		{ErrMethodNotFound(), CodeMethodNotFound, nil},
		{ErrInvalidParams("id", "is required"), CodeInvalidParams, nil},
		{ErrInternal("r-1"), CodeInternal, map[string]string{"reference": "r-1"}},
		{ErrTaskNotFound("t"), CodeTaskNotFound, map[string]string{"taskId": "t"}},
		{ErrTaskNotCancelable("t", TaskStateFailed), CodeTaskNotCancelable, map[string]string{"taskId": "t", "state": "TASK_STATE_FAILED"}},
		{ErrPushNotificationNotSupported(), CodePushNotificationNotSupported, nil},
		{ErrUnsupported("no", map[string]string{"taskId": "t"}), CodeUnsupportedOperation, map[string]string{"taskId": "t"}},
		{ErrContentTypeNotSupported("a/b"), CodeContentTypeNotSupported, map[string]string{"mediaType": "a/b"}},
		{ErrInvalidAgentResponse("no"), CodeInvalidAgentResponse, nil},
		{ErrExtendedCardNotConfigured(), CodeExtendedCardNotConfigured, nil},
		{ErrExtensionSupportRequired("u"), CodeExtensionSupportRequired, map[string]string{"extension": "u"}},
		{ErrVersionNotSupported("9"), CodeVersionNotSupported, map[string]string{"version": "9", "supported": "1.0"}},
		{ErrPermissionDenied(), CodePermissionDenied, nil},
		{ErrTooManyStreams(), CodeResourceExhausted, nil},
	}
	for _, tt := range tests {
		if tt.err.Code != tt.code || tt.err.Message == "" {
			t.Errorf("got code %d, message %q, want %d and a message", tt.err.Code, tt.err.Message, tt.code)
		}
		if diff := cmp.Diff(tt.metadata, tt.err.Metadata); diff != "" {
			t.Errorf("%d: metadata differs (-want +got):\n%s", tt.code, diff)
		}
	}
	e := &Error{Message: "Invalid parameters", Violations: []FieldViolation{{"a", "is required"}, {"b", "is bad"}}}
	if got, want := e.Error(), "Invalid parameters: a is required; b is bad"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
