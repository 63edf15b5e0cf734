package a2a

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func ptr[T any](v T) *T { return &v }

func TestDecodeSendMessageRequest(t *testing.T) {
	t.Parallel()
	got, err := DecodeRequest[SendMessageRequest]([]byte(`{
		"tenant": "acme",
		"message": {
			"messageId": "m-1", "context_id": "c-1", "role": "ROLE_USER", "unknown": [1],
			"parts": [
				{"text": "", "mediaType": "text/plain"},
				{"data": null},
				{"data": { "n": 12345678901234567890123, "x": 1.0 }, "metadata": {"k": [ 1 ]}},
				{"raw": "-_8", "filename": "a.bin"},
				{"url": "https://example.com/a.png", "media_type": "image/png", "text": null}
			],
			"extensions": ["https://example.com/ext"],
			"referenceTaskIds": ["t1.x"]
		},
		"configuration": {
			"acceptedOutputModes": ["text/plain"], "historyLength": "3", "return_immediately": true,
			"taskPushNotificationConfig": {"url": "https://example.com/hook", "authentication": {"scheme": "Bearer", "credentials": "s"}}
		},
		"metadata": {"a": null}
	}`))
	if err != nil {
		t.Fatalf("got error %v", err)
	}
	want := SendMessageRequest{
		Tenant: "acme",
		Message: Message{
			MessageID: "m-1", ContextID: "c-1", Role: RoleUser,
			Parts: []Part{
				{Content: Text(""), MediaType: "text/plain"},
				{Content: Data(`null`)},
				{Content: Data(`{"n":12345678901234567890123,"x":1.0}`), Metadata: Metadata{"k": json.RawMessage(`[1]`)}},
				{Content: Raw{0xfb, 0xff}, Filename: "a.bin"},
				{Content: URL("https://example.com/a.png"), MediaType: "image/png"},
			},
			Extensions: []string{"https://example.com/ext"}, ReferenceTaskIDs: []string{"t1.x"},
		},
		Configuration: SendMessageConfiguration{
			AcceptedOutputModes: []string{"text/plain"}, HistoryLength: ptr(int32(3)), ReturnImmediately: true,
			TaskPushNotificationConfig: &TaskPushNotificationConfig{
				URL: "https://example.com/hook", Authentication: &AuthenticationInfo{Scheme: "Bearer", Credentials: "s"},
			},
		},
		Metadata: Metadata{"a": json.RawMessage(`null`)},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request differs (-want +got):\n%s", diff)
	}
}

func TestDecodeListTasksRequest(t *testing.T) {
	t.Parallel()
	got, err := DecodeRequest[ListTasksRequest]([]byte(`{"contextId":"c","status":6,"page_size":100.0,
		"pageToken":"p","historyLength":0,"statusTimestampAfter":"2026-01-02T15:04:05.25+02:00","includeArtifacts":true}`))
	if err != nil {
		t.Fatalf("got error %v", err)
	}
	want := ListTasksRequest{
		ContextID: "c", Status: TaskStateInputRequired, PageSize: ptr(int32(100)), PageToken: "p",
		HistoryLength: ptr(int32(0)), IncludeArtifacts: true,
		StatusTimestampAfter: time.Date(2026, 1, 2, 13, 4, 5, 250_000_000, time.UTC),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request differs (-want +got):\n%s", diff)
	}
}
