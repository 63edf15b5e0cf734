package a2a

import (
	"bytes"
	"errors"
	"math"
	"strings"
)

// Request is the request of one of A2A's operations. TaskPushNotificationConfig asks for itself
// to be created.
type Request interface {
	SendMessageRequest | GetTaskRequest | ListTasksRequest | CancelTaskRequest | SubscribeToTaskRequest |
		TaskPushNotificationConfig | GetTaskPushNotificationConfigRequest |
		ListTaskPushNotificationConfigsRequest | DeleteTaskPushNotificationConfigRequest |
		GetExtendedAgentCardRequest | GetHeldCallRequest
}

// DecodeRequest reads a caller's request: DecodeRequest[SendMessageRequest](params). Empty params
// and null are an empty object.
//
// It reads what ProtoJSON parsers read: names in camelCase or snake_case (not both at once),
// enums by name or number, integers as numbers or numeric strings, any base64, timestamps with
// any offset, null as absent; unknown names are ignored. On top of that it holds the caller to
// the protocol's rules and to the bounds of this package.
//
// The error is an [*Error]: that of [CheckRequest], or [CodeInvalidParams] with every bad field, up
// to sixteen.
func DecodeRequest[T Request, P readable[T]](params []byte) (T, error) {
	var request T
	params = bytes.TrimSpace(params)
	if len(params) == 0 || string(params) == "null" {
		params = []byte("{}")
	}
	if err := CheckRequest(params); err != nil {
		return request, err
	}
	r := &report{fromCaller: true, root: "params"}
	readRoot[T, P](r, params, &request)
	if len(r.violations) > 0 {
		var zero T
		return zero, &Error{Code: CodeInvalidParams, Message: messageInvalidParams, Violations: r.violations}
	}
	return request, nil
}

// unmarshal reads what an agent or a store wrote, for json.Unmarshaler. It is as liberal in form
// as DecodeRequest, and refuses only what cannot be understood. Its error is no [*Error]: what was
// written there is no caller's fault.
func unmarshal[T any, P readable[T]](b []byte, into P) error {
	b = bytes.TrimSpace(b)
	if string(b) == "null" {
		return nil
	}
	if e := checkJSON(b, MaxDepth+envelope, math.MaxInt); e != nil {
		return errors.New("a2a: " + e.Message)
	}
	r := &report{root: "the object"}
	var v T
	readRoot[T, P](r, b, &v)
	if len(r.violations) > 0 {
		return malformed(r.violations)
	}
	*into = v
	return nil
}

func readRoot[T any, P readable[T]](r *report, b []byte, into P) {
	root := node{report: r, index: -1, raw: b}
	if members := root.object(); members != nil {
		into.read(members)
	}
}

func malformed(violations []FieldViolation) error {
	faults := make([]string, len(violations))
	for i, v := range violations {
		faults[i] = v.Field + " " + v.Description
	}
	return errors.New("a2a: " + strings.Join(faults, "; "))
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *Task) UnmarshalJSON(b []byte) error { return unmarshal(b, t) }

// UnmarshalJSON implements [json.Unmarshaler].
func (s *TaskStatus) UnmarshalJSON(b []byte) error { return unmarshal(b, s) }

// UnmarshalJSON implements [json.Unmarshaler].
func (a *Artifact) UnmarshalJSON(b []byte) error { return unmarshal(b, a) }

// UnmarshalJSON implements [json.Unmarshaler].
func (m *Message) UnmarshalJSON(b []byte) error { return unmarshal(b, m) }

// UnmarshalJSON implements [json.Unmarshaler].
func (p *Part) UnmarshalJSON(b []byte) error { return unmarshal(b, p) }

// UnmarshalJSON implements [json.Unmarshaler].
func (r *StreamResponse) UnmarshalJSON(b []byte) error { return unmarshal(b, r) }

// UnmarshalJSON implements [json.Unmarshaler].
func (e *TaskStatusUpdateEvent) UnmarshalJSON(b []byte) error { return unmarshal(b, e) }

// UnmarshalJSON implements [json.Unmarshaler].
func (e *TaskArtifactUpdateEvent) UnmarshalJSON(b []byte) error { return unmarshal(b, e) }

// UnmarshalJSON implements [json.Unmarshaler].
func (r *SendMessageResponse) UnmarshalJSON(b []byte) error { return unmarshal(b, r) }

// UnmarshalJSON implements [json.Unmarshaler].
func (r *ListTasksResponse) UnmarshalJSON(b []byte) error { return unmarshal(b, r) }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *TaskPushNotificationConfig) UnmarshalJSON(b []byte) error { return unmarshal(b, c) }

// UnmarshalJSON implements [json.Unmarshaler].
func (r *ListTaskPushNotificationConfigsResponse) UnmarshalJSON(b []byte) error {
	return unmarshal(b, r)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (a *AgentCard) UnmarshalJSON(b []byte) error { return unmarshal(b, a) }
