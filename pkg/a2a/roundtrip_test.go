package a2a

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// Documents after the specification's examples read and write back byte for byte (SPEC-12,
// WIRE-04 to WIRE-13, CARD-01).
func TestDocumentsRoundTrip(t *testing.T) {
	t.Parallel()
	documents := map[string]any{
		"task.json":                &Task{},
		"stream_status.json":       &StreamResponse{},
		"stream_artifact.json":     &StreamResponse{},
		"list_tasks_response.json": &ListTasksResponse{},
		"push_config.json":         &TaskPushNotificationConfig{},
		"agent_card.json":          &AgentCard{},
	}
	for name, into := range documents {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			raw := document(t, name)
			if err := json.Unmarshal(raw, into); err != nil {
				t.Fatalf("got error %v", err)
			}
			assertJSON(t, into, string(raw))
		})
	}
	t.Run("requests", func(t *testing.T) {
		t.Parallel()
		raw := document(t, "send_message_request.json")
		send, err := DecodeRequest[SendMessageRequest](raw)
		if err != nil {
			t.Fatalf("got error %v", err)
		}
		assertJSON(t, send, string(raw))
		raw = document(t, "list_tasks_request.json")
		list, err := DecodeRequest[ListTasksRequest](raw)
		if err != nil {
			t.Fatalf("got error %v", err)
		}
		assertJSON(t, list, string(raw))
	})
}

func document(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(raw)
}

func assertJSON(t *testing.T, v any, want string) {
	t.Helper()
	got, err := Marshal(v)
	if err != nil {
		t.Fatalf("got error %v", err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("JSON differs (-want +got):\n%s", diff)
	}
}

func TestMarshal(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 17, 4, 5, 6_999_999, time.FixedZone("", 2*60*60))
	tests := []struct {
		name string
		v    any
		want string
	}{
		{"UTC to the millisecond", TaskStatus{State: TaskStateWorking, Timestamp: at}, `{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T15:04:05.006Z"}`},
		{"no timestamp", TaskStatus{State: TaskStateWorking}, `{"state":"TASK_STATE_WORKING"}`},
		{"no parts", Message{MessageID: "m", Role: RoleAgent}, `{"messageId":"m","role":"ROLE_AGENT","parts":[]}`},
		{"no HTML escapes", Part{Content: Text("<&>")}, `{"text":"<&>"}`},
		{"empty text", Part{Content: Text("")}, `{"text":""}`},
		{"no bytes", Part{Content: Raw(nil)}, `{"raw":""}`},
		{"empty URL", Part{Content: URL("")}, `{"url":""}`},
		{"null data", Part{Content: Data("null")}, `{"data":null}`},
		{"no data", Part{Content: Data(nil)}, `{"data":null}`},
		{"data as written", Part{Content: Data("[12345678901234567890123,1.0,\"<\u2028\"]")}, "{\"data\":[12345678901234567890123,1.0,\"<\u2028\"]}"},
		{"artifact", Artifact{ArtifactID: "a"}, `{"artifactId":"a","parts":[]}`},
		{"task without artifacts", Task{ID: "t", Status: TaskStatus{State: TaskStateFailed}}, `{"id":"t","status":{"state":"TASK_STATE_FAILED"}}`},
		{"task with empty artifacts", Task{ID: "t", Artifacts: []Artifact{}}, `{"id":"t","status":{},"artifacts":[]}`},
		{"empty page (SPEC-07)", ListTasksResponse{}, `{"tasks":[],"nextPageToken":"","pageSize":0,"totalSize":0}`},
		{"no configs", ListTaskPushNotificationConfigsResponse{}, `{"configs":[],"nextPageToken":""}`},
		{"empty list request", ListTasksRequest{}, `{}`},
		{
			"empty card (CARD-01)", AgentCard{},
			`{"name":"","description":"","supportedInterfaces":[],"version":"","capabilities":{"streaming":false,"pushNotifications":false,"extendedAgentCard":false},"defaultInputModes":[],"defaultOutputModes":[],"skills":[]}`,
		},
		{"skill without tags", AgentSkill{ID: "s"}, `{"id":"s","name":"","description":"","tags":[]}`},
		{"no schemes", SecurityRequirement{}, `{"schemes":{}}`},
		{"no scopes", SecurityRequirement{Schemes: map[string]StringList{"k": {}}}, `{"schemes":{"k":{"list":[]}}}`},
		{"flow without scopes", DeviceCodeOAuthFlow{}, `{"deviceAuthorizationUrl":"","tokenUrl":"","scopes":{}}`},
		{
			"nested config (R-17, SRV-24)", TaskPushNotificationConfig{TaskID: "t", ID: "c", URL: "u", Nested: true},
			`{"id":"c","taskId":"t","url":"u","pushNotificationConfig":{"id":"c","url":"u"}}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			assertJSON(t, tt.v, tt.want)
		})
	}
	for _, bad := range []any{Part{}, Message{Parts: []Part{{}}}, Part{Content: Data("{")}} {
		if got, err := Marshal(bad); err == nil {
			t.Errorf("Marshal(%#v): got %s, want an error", bad, got)
		}
	}
}

// A store's record survives encoding/json.
func TestRecordRoundTrip(t *testing.T) {
	t.Parallel()
	type record struct {
		Status    TaskStatus
		Message   *Message
		Artifacts []Artifact
		None      *Message
	}
	want := record{
		Status: TaskStatus{State: TaskStateAuthRequired, Timestamp: time.UnixMilli(1_700_000_000_123).UTC()},
		Message: &Message{
			MessageID: "m", Role: RoleUser,
			Parts:    []Part{{Content: Raw("\x00\xff")}, {Content: Data(`{"a":1.0}`)}, {Content: Text("\u2028<")}},
			Metadata: Metadata{"k": json.RawMessage(`12345678901234567890123`)},
		},
		Artifacts: []Artifact{{ArtifactID: "a", Parts: []Part{{Content: URL("u")}}}},
	}
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got record
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("record differs (-want +got):\n%s", diff)
	}
}

// Of what an agent wrote only what cannot be understood is refused, and the error names it.
func TestUnmarshal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw, fault string
		into             any
	}{
		{"message without an id", `{"role":"ROLE_AGENT","parts":[]}`, "", &Message{}},
		{"null", `null`, "", &Task{}},
		{"unknown members", `{"id":"t","kind":"task","status":{"state":2,"final":true}}`, "", &Task{}},
		{"empty status", `{}`, "", &TaskStatus{}},
		{"scheme of a later version", `{"securitySchemes":{"x":{"newScheme":{}}}}`, "", &AgentCard{}},
		{"task without an id", `{"status":{"state":"TASK_STATE_WORKING"}}`, "id is required", &Task{}},
		{"task without a state", `{"task":{"id":"t"}}`, "task.status.state is required", &SendMessageResponse{}},
		{"unknown state", `{"state":"working"}`, "state must be one of", &TaskStatus{}},
		{"bad part", `{"artifactId":"a","parts":[{}]}`, "parts[0] must have exactly one of", &Artifact{}},
		{"part of wrong type", `7`, "the object must be an object", &Part{}},
		{"no payload", `{"other":{}}`, "must have exactly one payload", &StreamResponse{}},
		{"two payloads", `{"message":{},"task":{"id":"t","status":{"state":1}}}`, "must have exactly one payload", &SendMessageResponse{}},
		{"update without a task", `{"statusUpdate":{"status":{"state":1}}}`, "statusUpdate.taskId is required", &StreamResponse{}},
		{"update of its own", `{"taskId":"t"}`, "status.state is required", &TaskStatusUpdateEvent{}},
		{"piece without a task", `{}`, "taskId is required", &TaskArtifactUpdateEvent{}},
		{"bad task of a page", `{"tasks":[{"id":1}]}`, "tasks[0].id must be a string", &ListTasksResponse{}},
		{"bad config", `{"configs":[{"url":1}]}`, "configs[0].url must be a string", &ListTaskPushNotificationConfigsResponse{}},
		{"two schemes", `{"securitySchemes":{"x":{"mtlsSecurityScheme":{},"httpAuthSecurityScheme":{}}}}`, "securitySchemes.x must be of one kind only", &AgentCard{}},
		{"a map of other things", `{"securitySchemes":[]}`, "securitySchemes must be an object", &AgentCard{}},
		{"a scheme of wrong type", `{"securitySchemes":{"x":1}}`, "securitySchemes.x must be an object", &AgentCard{}},
		{
			"a scope of wrong type", `{"securitySchemes":{"x":{"oauth2SecurityScheme":{"flows":{"deviceCode":{"scopes":{"s":1}}}}}}}`,
			"securitySchemes.x.oauth2SecurityScheme.flows.deviceCode.scopes.s must be a string", &AgentCard{},
		},
		{"scopes of wrong type", `{"securitySchemes":{"x":{"oauth2SecurityScheme":{"flows":{"deviceCode":{"scopes":1}}}}}}`, "scopes must be an object", &AgentCard{}},
		{"a name twice", `{"id":"t","id":"u"}`, "name twice", &Task{}},
		{"a lone surrogate", `{"url":"\ud800"}`, "Invalid JSON", &TaskPushNotificationConfig{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := json.Unmarshal([]byte(tt.raw), tt.into)
			if tt.fault == "" {
				if err != nil {
					t.Errorf("got error %v, want none", err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), tt.fault) {
				t.Errorf("got error %v, want %q", err, tt.fault)
			}
		})
	}
}

//
func TestDraftPushConfig(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, raw string
		want      TaskPushNotificationConfig
	}{
		{
			"nested", `{"tenant":"a","taskId":"t","push_notification_config":{"id":"c","url":"u","token":"k"}}`,
			TaskPushNotificationConfig{Tenant: "a", TaskID: "t", ID: "c", URL: "u", Token: "k", Nested: true},
		},
		{
			"both: the flat one is the protocol's", `{"taskId":"t","url":"u","pushNotificationConfig":{"url":"other"}}`,
			TaskPushNotificationConfig{TaskID: "t", URL: "u"},
		},
	}
	for _, tt := range tests {
		got, err := DecodeRequest[TaskPushNotificationConfig]([]byte(tt.raw))
		if err != nil {
			t.Errorf("%s: got error %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: config differs (-want +got):\n%s", tt.name, diff)
		}
	}
}
