package a2a

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

// fuzz feeds a decoder with anything: it must not panic, must agree with the oracle, and what it
// read must be the same after being written and read again.
func fuzz[T any, P readable[T]](f *testing.F, theirs proto.Message) {
	files, err := filepath.Glob("testdata/*.json")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		stable[T, P](t, raw)
		if !hasDraftConfig(raw) { // Which is read here only.
			agree[T, P](t, raw, proto.Clone(theirs))
		}
	})
}

func hasDraftConfig(raw []byte) bool {
	return bytes.Contains(raw, []byte(`"pushNotificationConfig"`)) || bytes.Contains(raw, []byte(`"push_notification_config"`))
}

func stable[T any, P readable[T]](t *testing.T, raw []byte) {
	var first, second T
	err := unmarshal[T, P](raw, &first)
	if CheckJSON(raw) == nil {
		caller := &report{fromCaller: true}
		readRoot[T, P](caller, bytes.TrimSpace(raw), new(T))
		if err != nil && len(caller.violations) == 0 && string(bytes.TrimSpace(raw)) != "null" {
			t.Fatalf("a caller may send what an agent may not (%v): %q", err, raw)
		}
	}
	if err != nil {
		return
	}
	once, err := Marshal(first)
	if err != nil {
		t.Fatalf("cannot write what was read: %v", err)
	}
	if err := unmarshal[T, P](once, &second); err != nil {
		t.Fatalf("cannot read what was written: %v: %s", err, once)
	}
	twice, err := Marshal(second)
	if err != nil || !bytes.Equal(once, twice) {
		t.Fatalf("got %s after a round trip, %v, want %s", twice, err, once)
	}
}

func FuzzDecodeSendMessageRequest(f *testing.F) {
	fuzz[SendMessageRequest](f, &a2apb.SendMessageRequest{})
}
func FuzzDecodeGetTaskRequest(f *testing.F)   { fuzz[GetTaskRequest](f, &a2apb.GetTaskRequest{}) }
func FuzzDecodeListTasksRequest(f *testing.F) { fuzz[ListTasksRequest](f, &a2apb.ListTasksRequest{}) }
func FuzzDecodeCancelTaskRequest(f *testing.F) {
	fuzz[CancelTaskRequest](f, &a2apb.CancelTaskRequest{})
}
func FuzzDecodeSubscribeToTaskRequest(f *testing.F) {
	fuzz[SubscribeToTaskRequest](f, &a2apb.SubscribeToTaskRequest{})
}
func FuzzDecodePushConfig(f *testing.F) {
	fuzz[TaskPushNotificationConfig](f, &a2apb.TaskPushNotificationConfig{})
}
func FuzzDecodeGetPushConfigRequest(f *testing.F) {
	fuzz[GetTaskPushNotificationConfigRequest](f, &a2apb.GetTaskPushNotificationConfigRequest{})
}
func FuzzDecodeListPushConfigsRequest(f *testing.F) {
	fuzz[ListTaskPushNotificationConfigsRequest](f, &a2apb.ListTaskPushNotificationConfigsRequest{})
}
func FuzzDecodeDeletePushConfigRequest(f *testing.F) {
	fuzz[DeleteTaskPushNotificationConfigRequest](f, &a2apb.DeleteTaskPushNotificationConfigRequest{})
}
func FuzzDecodeGetExtendedAgentCardRequest(f *testing.F) {
	fuzz[GetExtendedAgentCardRequest](f, &a2apb.GetExtendedAgentCardRequest{})
}
func FuzzDecodeTask(f *testing.F)           { fuzz[Task](f, &a2apb.Task{}) }
func FuzzDecodeMessage(f *testing.F)        { fuzz[Message](f, &a2apb.Message{}) }
func FuzzDecodeStreamResponse(f *testing.F) { fuzz[StreamResponse](f, &a2apb.StreamResponse{}) }
func FuzzDecodeSendMessageResponse(f *testing.F) {
	fuzz[SendMessageResponse](f, &a2apb.SendMessageResponse{})
}
func FuzzDecodeListTasksResponse(f *testing.F) {
	fuzz[ListTasksResponse](f, &a2apb.ListTasksResponse{})
}
func FuzzDecodeListPushConfigsResponse(f *testing.F) {
	fuzz[ListTaskPushNotificationConfigsResponse](f, &a2apb.ListTaskPushNotificationConfigsResponse{})
}
func FuzzDecodeAgentCard(f *testing.F) { fuzz[AgentCard](f, &a2apb.AgentCard{}) }

func FuzzContentHash(f *testing.F) {
	f.Add([]byte(`{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"b":1.0,"a":[]}}],"metadata":{"k":"\u003c"}}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		var first, second Message
		if unmarshal(raw, &first) != nil {
			return
		}
		written, err := Marshal(first)
		if err != nil || unmarshal(written, &second) != nil {
			t.Fatalf("no round trip: %v: %s", err, written)
		}
		if got, want := ContentHash(second), ContentHash(first); got != want || got == "" {
			t.Fatalf("got hash %q after a round trip, want %q: %s", got, want, written)
		}
	})
}

func FuzzDecodeError(f *testing.F) {
	f.Add(404, EncodeHTTPError(ErrTaskNotFound("t"), 404))
	f.Add(400, EncodeHTTPError(ErrInvalidParams("a", "b"), 400))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		e := DecodeHTTPError(status, body)
		again := DecodeHTTPError(status, EncodeHTTPError(e, status))
		if again.Error() != e.Error() && e.Message != "" {
			t.Errorf("got %q after a round trip, want %q", again, e)
		}
		var object Error
		if object.UnmarshalJSON(body) == nil {
			if _, err := object.MarshalJSON(); err != nil {
				t.Errorf("cannot write what was read: %v", err)
			}
		}
	})
}
