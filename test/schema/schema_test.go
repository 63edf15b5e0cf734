package schema

import (
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
)

func TestCheck(t *testing.T) {
	t.Parallel()
	const status = `"status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T03:04:05Z"}`
	for name, tt := range map[string]struct {
		raw string
		in  proto.Message
		ok  bool
	}{
		"a task":            {`{"id":"t","contextId":"c",` + status + `}`, &a2apb.Task{}, true},
		"data of null":      {`{"parts":[{"data":null}],"artifactId":"a"}`, &a2apb.Artifact{}, true},
		"unknown member":    {`{"id":"t","kind":"task",` + status + `}`, &a2apb.Task{}, false},
		"no status":         {`{"id":"t"}`, &a2apb.Task{}, false},
		"an enum's number":  {`{"id":"t","status":{"state":2}}`, &a2apb.Task{}, false},
		"an enum's nothing": {`{"id":"t","status":{"state":"TASK_STATE_UNSPECIFIED"}}`, &a2apb.Task{}, false},
		"no parts":          {`{"artifactId":"a","parts":[]}`, &a2apb.Artifact{}, false},
		"a part of nothing": {`{"artifactId":"a","parts":[{}]}`, &a2apb.Artifact{}, false},
		"null":              {`{"id":null,` + status + `}`, &a2apb.Task{}, false},
		"within a stream":   {`{"statusUpdate":{"taskId":"t","contextId":"c","status":{}}}`, &a2apb.StreamResponse{}, false},
		"a stream's two":    {`{"message":{},"task":{}}`, &a2apb.StreamResponse{}, false},
		"no json":           {`{`, &a2apb.Task{}, false},
	} {
		if err := Check([]byte(tt.raw), tt.in); (err == nil) != tt.ok {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
