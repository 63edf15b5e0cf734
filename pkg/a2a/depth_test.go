package a2a

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func nested(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }

// What a caller may send can be read back wherever an answer has it.
func TestDeepestContentReadsBack(t *testing.T) {
	t.Parallel()
	body := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":` + nested(MaxDepth-4) + `}]}}`
	req, err := DecodeRequest[SendMessageRequest]([]byte(body))
	if err != nil {
		t.Fatalf("got %v, want the deepest request taken", err)
	}
	m := req.Message
	status := TaskStatus{State: TaskStateWorking, Message: &m}
	task := Task{ID: "t", ContextID: "c", Status: status, History: []Message{m}}
	written, err := Marshal(map[string]any{"result": ListTasksResponse{Tasks: []Task{task}}})
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Result ListTasksResponse }
	if err := json.Unmarshal(written, &answer); err != nil || len(answer.Result.Tasks) != 1 {
		t.Errorf("got %v, want the list read", err)
	}
}

// A fault in what was stored or answered is never taken for one of the caller's request.
func TestUnmarshalFaultIsNoCallersError(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"id":1,"id":2}`, `{"a":"\ud800"}`, nested(2 * MaxDepth), `[]`} {
		err := json.Unmarshal([]byte(body), new(Task))
		var e *Error
		if err == nil || errors.As(err, &e) {
			t.Errorf("%s: got %#v, want an error that is no *Error", body, err)
		}
	}
}
