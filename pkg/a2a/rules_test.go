package a2a

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// refusal decodes a request and returns the fields its error names.
type refusal func(params string) (fields []string, err error)

func refuse[T Request, P readable[T]](params string) ([]string, error) {
	request, err := DecodeRequest[T, P]([]byte(params))
	if err == nil {
		return nil, nil
	}
	var zero T
	if diff := cmp.Diff(zero, request); diff != "" {
		return nil, fmt.Errorf("a refused request is not empty: %s", diff)
	}
	var e *Error
	if !errors.As(err, &e) || e.Code != CodeInvalidParams {
		return nil, err
	}
	var fields []string
	for _, v := range e.Violations {
		if v.Description == "" {
			return nil, fmt.Errorf("%s has no description", v.Field)
		}
		fields = append(fields, v.Field)
	}
	return fields, nil
}

// withMessage is a good send request with one member of its message replaced.
func withMessage(name, value string) string {
	members := map[string]string{"messageId": `"m"`, "role": `"ROLE_USER"`, "parts": `[{"text":"hi"}]`}
	members[name] = value
	var all []string
	for name, value := range members {
		if value != "" {
			all = append(all, `"`+name+`":`+value)
		}
	}
	return `{"message":{` + strings.Join(all, ",") + `}}`
}

func repeat(s string, n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(s+",", n), ",") + "]"
}

// Callers are held to the rules, and each bad field is named (SPEC-06, SPEC-07, R-18, R-65).
func TestRequestRules(t *testing.T) {
	t.Parallel()
	send, get, list := refuse[SendMessageRequest], refuse[GetTaskRequest], refuse[ListTasksRequest]
	create := refuse[TaskPushNotificationConfig]
	id256 := strings.Repeat("x", 256)
	tests := []struct {
		name   string
		decode refusal
		params string
		want   []string
	}{
		{"good message", send, withMessage("", ""), nil},
		{"no params", send, ``, []string{"message"}},
		{"null params", send, ` null `, []string{"message"}},
		{"array params", send, `[]`, []string{"params"}},
		{"message null", send, `{"message":null}`, []string{"message"}},
		{"message of wrong type", send, `{"message":"hi"}`, []string{"message"}},
		{"empty message", send, `{"message":{}}`, []string{"message.messageId", "message.role", "message.parts"}},
		{"empty messageId", send, withMessage("messageId", `""`), []string{"message.messageId"}},
		{"messageId of wrong type", send, withMessage("messageId", `7`), []string{"message.messageId"}},
		{"messageId of 256 bytes", send, withMessage("messageId", `"`+id256+`"`), nil},
		{"messageId of 257 bytes", send, withMessage("messageId", `"`+id256+`x"`), []string{"message.messageId"}},
		{"messageId with NUL", send, withMessage("messageId", `"a\u0000"`), []string{"message.messageId"}},
		{"messageId with C1 control", send, withMessage("messageId", `"a\u0085"`), []string{"message.messageId"}},
		{"taskId with line break", send, withMessage("taskId", `"a\nb"`), []string{"message.taskId"}},
		{"contextId too long", send, withMessage("contextId", `"`+id256+`x"`), []string{"message.contextId"}},
		{"empty contextId is none", send, withMessage("contextId", `""`), nil},
		{"empty reference", send, withMessage("referenceTaskIds", `["t",""]`), []string{"message.referenceTaskIds[1]"}},
		{"too many references", send, withMessage("referenceTaskIds", repeat(`"t"`, 1001)), []string{"message.referenceTaskIds"}},
		{"no role", send, withMessage("role", ""), []string{"message.role"}},
		{"unspecified role", send, withMessage("role", `"ROLE_UNSPECIFIED"`), []string{"message.role"}},
		{"role by number", send, withMessage("role", `1`), nil},
		{"unknown role", send, withMessage("role", `"user"`), []string{"message.role"}},
		{"unknown role number", send, withMessage("role", `3`), []string{"message.role"}},
		{"negative role number", send, withMessage("role", `-1`), []string{"message.role"}},
		{"role of wrong type", send, withMessage("role", `true`), []string{"message.role"}},
		{"empty parts", send, withMessage("parts", `[]`), []string{"message.parts"}},
		{"parts of wrong type", send, withMessage("parts", `{}`), []string{"message.parts"}},
		{"null part", send, withMessage("parts", `[null]`), []string{"message.parts[0]"}},
		{"part without content", send, withMessage("parts", `[{"text":"a"},{"filename":"f"}]`), []string{"message.parts[1]"}},
		{"part with two contents", send, withMessage("parts", `[{"text":"a","data":null}]`), []string{"message.parts[0]"}},
		{"bad base64", send, withMessage("parts", `[{"raw":"a b"}]`), []string{"message.parts[0].raw"}},
		{"text of wrong type", send, withMessage("parts", `[{"text":1}]`), []string{"message.parts[0].text"}},
		{"1000 parts", send, withMessage("parts", repeat(`{"text":"a"}`, 1000)), nil},
		{"1001 parts", send, withMessage("parts", repeat(`{"text":"a"}`, 1001)), []string{"message.parts"}},
		{"1001 extensions", send, withMessage("extensions", repeat(`"a"`, 1001)), []string{"message.extensions"}},
		{"extension of wrong type", send, withMessage("extensions", `["a",null]`), []string{"message.extensions[1]"}},
		{"metadata of wrong type", send, withMessage("metadata", `[]`), []string{"message.metadata"}},
		{"name twice in two cases", send, withMessage("message_id", `"n"`), []string{"message.messageId"}},
		{
			"negative historyLength", send,
			`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"configuration":{"historyLength":-1}}`,
			[]string{"configuration.historyLength"},
		},
		{
			"config with a message needs no task", send,
			`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"configuration":{"taskPushNotificationConfig":{"url":"https://h"}}}`,
			nil,
		},
		{
			"config with a message needs its url", send,
			`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]},"configuration":{"taskPushNotificationConfig":{}}}`,
			[]string{"configuration.taskPushNotificationConfig.url"},
		},
		{"get", get, `{"id":"t","historyLength":0}`, nil},
		{"get without id", get, `{}`, []string{"id"}},
		{"get with bad numbers", get, `{"id":"t","historyLength":1.5}`, []string{"historyLength"}},
		{"list all", list, `{}`, nil},
		{"list of unspecified status", list, `{"status":"TASK_STATE_UNSPECIFIED"}`, nil},
		{"list of unknown status", list, `{"status":"working"}`, []string{"status"}},
		{"page of 0", list, `{"pageSize":0}`, []string{"pageSize"}},
		{"page of 1", list, `{"pageSize":1}`, nil},
		{"page of 100", list, `{"pageSize":"100"}`, nil},
		{"page of 101", list, `{"pageSize":101}`, []string{"pageSize"}},
		{"list with negative historyLength", list, `{"historyLength":-1}`, []string{"historyLength"}},
		{"list with bad time", list, `{"statusTimestampAfter":"yesterday"}`, []string{"statusTimestampAfter"}},
		{"list with bad flag", list, `{"includeArtifacts":"true"}`, []string{"includeArtifacts"}},
		{"cancel without id", refuse[CancelTaskRequest], `{"id":""}`, []string{"id"}},
		{"subscribe without id", refuse[SubscribeToTaskRequest], `{"ID":"t"}`, []string{"id"}},
		{"create", create, `{"taskId":"t","url":"https://h"}`, nil},
		{"create without task and url", create, `{}`, []string{"taskId", "url"}},
		{"create with bad id", create, `{"taskId":"t","url":"u","id":"a\tb"}`, []string{"id"}},
		{"token with CR", create, `{"taskId":"t","url":"u","token":"a\rb"}`, []string{"token"}},
		{"scheme with LF", create, `{"taskId":"t","url":"u","authentication":{"scheme":"a\nb"}}`, []string{"authentication.scheme"}},
		{"credentials with LF", create, `{"taskId":"t","url":"u","authentication":{"scheme":"a","credentials":"b\nc"}}`, []string{"authentication.credentials"}},
		{"authentication without scheme", create, `{"taskId":"t","url":"u","authentication":{}}`, []string{"authentication.scheme"}},
		{"bad nested token", create, `{"taskId":"t","pushNotificationConfig":{"url":"u","token":"a\nb"}}`, []string{"pushNotificationConfig.token"}},
		{"get config", refuse[GetTaskPushNotificationConfigRequest], `{}`, []string{"taskId", "id"}},
		{"delete config", refuse[DeleteTaskPushNotificationConfigRequest], `{"task_id":"t"}`, []string{"id"}},
		{"list configs", refuse[ListTaskPushNotificationConfigsRequest], `{"pageSize":-1}`, []string{"taskId", "pageSize"}},
		{"list configs, default page", refuse[ListTaskPushNotificationConfigsRequest], `{"taskId":"t","pageSize":0}`, nil},
		{"extended card", refuse[GetExtendedAgentCardRequest], ``, nil},
		{"tenant of wrong type", refuse[GetExtendedAgentCardRequest], `{"tenant":{}}`, []string{"tenant"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.decode(tt.params)
			if err != nil {
				t.Fatalf("got error %v", err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("bad fields differ (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMetadataKeysAreBounded(t *testing.T) {
	t.Parallel()
	var keys []string
	for i := range MaxEntries + 1 {
		keys = append(keys, fmt.Sprintf(`"%d":0`, i))
	}
	got, err := refuse[CancelTaskRequest](`{"id":"t","metadata":{` + strings.Join(keys, ",") + `}}`)
	if diff := cmp.Diff([]string{"metadata"}, got); diff != "" || err != nil {
		t.Errorf("got error %v, bad fields differ (-want +got):\n%s", err, diff)
	}
	got, err = refuse[CancelTaskRequest](`{"id":"t","metadata":{` + strings.Join(keys[1:], ",") + `}}`)
	if len(got) > 0 || err != nil {
		t.Errorf("at the bound: got bad fields %v, error %v, want none", got, err)
	}
}

func TestViolationsAreBounded(t *testing.T) {
	t.Parallel()
	got, err := refuse[SendMessageRequest](withMessage("parts", repeat(`{}`, 50)))
	if err != nil || len(got) != maxViolations {
		t.Errorf("got %d bad fields, error %v, want %d", len(got), err, maxViolations)
	}
}

//
func TestCheckID(t *testing.T) {
	t.Parallel()
	for id, ok := range map[string]bool{
		"t1.x": true, "päivä 7": true, "": false, "a\x00": false, "a\x7f": false, "\n": false,
		strings.Repeat("é", 128): true, strings.Repeat("é", 129): false,
	} {
		err := CheckID("id", id)
		if (err == nil) != ok {
			t.Errorf("CheckID(%q): got error %v, want ok = %t", id, err, ok)
		}
		var e *Error
		if err != nil && (!errors.As(err, &e) || e.Code != CodeInvalidParams || e.Violations[0].Field != "id") {
			t.Errorf("CheckID(%q): got %#v, want invalid params of id", id, err)
		}
	}
}

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	deep := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	tests := []struct {
		name, body string
		code       int // 0: accepted
	}{
		{"object", ` {"a":[{"b":"c"},{"b":[]}],"c":{"a":1}} `, 0},
		{"scalar", `7`, 0},
		{"nothing", ``, CodeParseError},
		{"trailing data", `{} {}`, CodeParseError},
		{"trailing comma", `[1,]`, CodeParseError},
		{"unfinished", `{"a":"`, CodeParseError},
		{"invalid UTF-8", "\"\xff\"", CodeParseError},
		{"overlong UTF-8", "\"\xc0\x80\"", CodeParseError},
		{"surrogate pair", `"\ud83d\uDE00"`, 0},
		{"high surrogate alone", `{"a":"\ud83d"}`, CodeParseError},
		{"high surrogate before another escape", `"\ud83d\n"`, CodeParseError},
		{"two high surrogates", `"\ud83d\ud83d"`, CodeParseError},
		{"low surrogate alone", `"\ude00"`, CodeParseError},
		{"low surrogate in a name", `{"\ude00":1}`, CodeParseError},
		{"escaped backslash before u", `"\\ud83d"`, 0},
		{"100 levels", deep(100), 0},
		{"101 levels", deep(101), CodeInvalidRequest},
		{"brackets in strings", `"` + deep(200) + `"`, 0},
		{"a name twice", `{"a":1,"b":2,"a":3}`, CodeInvalidRequest},
		{"a name twice, escaped", `{"a":1,"\u0061":3}`, CodeInvalidRequest},
		{"a name twice, deep", `[{"x":{"a":[1,{"a":2}],"a":3}}]`, CodeInvalidRequest},
		{"numbers of a double", `[1.7976931348623157e308,-0.5E-400,` + strings.Repeat("9", 308) + `,0]`, 0},
		{"a number beyond", `{"a":[1e400]}`, CodeInvalidRequest},
		{"a number beyond, negative", `-1E+309`, CodeInvalidRequest},
		{"a number beyond, in digits", strings.Repeat("9", 400), CodeInvalidRequest},
		{"a number in a string", `"1e400"`, 0},
		{"a value twice", `{"a":"b","b":"a","c":["a","a"]}`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := CheckJSON([]byte(tt.body))
			var e *Error
			got := 0
			if errors.As(err, &e) {
				got = e.Code
			}
			if got != tt.code {
				t.Errorf("got %v (%d), want code %d", err, got, tt.code)
			}
			if _, decodeErr := DecodeRequest[GetExtendedAgentCardRequest]([]byte(tt.body)); tt.code != 0 && tt.body != "" && decodeErr == nil {
				t.Error("DecodeRequest accepts it")
			}
		})
	}
}

// A request's values are bounded, by whatever they are spread over.
func TestMaxValues(t *testing.T) {
	t.Parallel()
	list := func(value string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(value+",", n), ",") + "]"
	}
	for _, tt := range []struct {
		name, body string
		ok         bool
	}{
		{"few", list("1", MaxValues-1), true},
		{"numbers", list("1", MaxValues+1), false},
		{"objects", list("{}", MaxValues/2+1), false},
		{"an object's", "{" + strings.TrimSuffix(manyNames(MaxValues+1), ",") + "}", false},
		{"commas in a string", `"` + strings.Repeat(",", 2*MaxValues) + `"`, true},
	} {
		var e *Error
		err := CheckRequest([]byte(tt.body))
		if ok := err == nil; ok != tt.ok || !ok && (!errors.As(err, &e) || e.Code != CodeInvalidRequest) {
			t.Errorf("%s: got %v", tt.name, err)
		}
		if err := CheckJSON([]byte(tt.body)); err != nil {
			t.Errorf("%s, in what was stored: %v", tt.name, err)
		}
	}
}

func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `"%d":1,`, i)
	}
	return b.String()
}
