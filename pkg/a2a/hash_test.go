package a2a

import (
	"encoding/json"
	"testing"
)

// two messages of one hash say the same.
func TestContentHash(t *testing.T) {
	t.Parallel()
	const plain = `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":1,"b":[2,null]}}],"metadata":{"k":{"x":1,"y":"<"}}}`
	hash := func(raw string) string {
		t.Helper()
		var m Message
		if err := json.Unmarshal([]byte(raw), &m); err != nil {
			t.Fatalf("got error %v", err)
		}
		return ContentHash(m)
	}
	want := hash(plain)
	if len(want) != 64 {
		t.Errorf("got hash %q, want 64 hex digits", want)
	}
	same := map[string]string{
		"other ids":      `{"messageId":"2","contextId":"c","taskId":"t","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":1,"b":[2,null]}}],"metadata":{"k":{"x":1,"y":"<"}}}`,
		"order, spaces":  `{"metadata":{"k":{ "y":"<","x":1}},"parts":[{"text":"A"},{"data":{"b":[2, null],"a":1}}],"role":"ROLE_USER","messageId":"1"}`,
		"escapes":        `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"\u0041"},{"data":{"\u0061":1,"b":[2,null]}}],"metadata":{"k":{"x":1,"y":"\u003c"}}}`,
		"names, numbers": `{"message_id":"1","role":1,"parts":[{"text":"A"},{"data":{"a":1,"b":[2,null]}}],"metadata":{"k":{"x":1,"y":"<"}},"unknown":1}`,
	}
	for name, raw := range same {
		if got := hash(raw); got != want {
			t.Errorf("%s: got another hash, want the same", name)
		}
	}
	other := map[string]string{
		"text":         `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"B"},{"data":{"a":1,"b":[2,null]}}],"metadata":{"k":{"x":1,"y":"<"}}}`,
		"number form":  `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":1.0,"b":[2,null]}}],"metadata":{"k":{"x":1,"y":"<"}}}`,
		"number type":  `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":"1","b":[2,null]}}],"metadata":{"k":{"x":1,"y":"<"}}}`,
		"array order":  `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":1,"b":[null,2]}}],"metadata":{"k":{"x":1,"y":"<"}}}`,
		"parts merged": `{"messageId":"1","role":"ROLE_USER","parts":[{"data":{"a":1,"b":[2,null]}},{"text":"A"}],"metadata":{"k":{"x":1,"y":"<"}}}`,
		"metadata":     `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":1,"b":[2,null]}}],"metadata":{"k":{"x":2,"y":"<"}}}`,
		"extensions":   `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":1,"b":[2,null]}}],"metadata":{"k":{"x":1,"y":"<"}},"extensions":["e"]}`,
		"references":   `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":1,"b":[2,null]}}],"metadata":{"k":{"x":1,"y":"<"}},"referenceTaskIds":["1"]}`,
		"a part more":  `{"messageId":"1","role":"ROLE_USER","parts":[{"text":"A"},{"data":{"a":1,"b":[2,null]}},{"text":""}],"metadata":{"k":{"x":1,"y":"<"}}}`,
	}
	seen := map[string]string{want: "plain"}
	for name, raw := range other {
		got := hash(raw)
		if twin, ok := seen[got]; ok {
			t.Errorf("%s: got the hash of %s, want another", name, twin)
		}
		seen[got] = name
	}
	big := func(n string) string { return hash(`{"parts":[{"data":` + n + `}]}`) }
	if big("12345678901234567890123") == big("12345678901234567890124") {
		t.Error("big integers: got one hash, want two")
	}
	if got := ContentHash(Message{Parts: []Part{{}}}); got != "" {
		t.Errorf("a part without content: got %q, want none", got)
	}
}
