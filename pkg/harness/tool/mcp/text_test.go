package mcp

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

func TestText(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, result, want string }{
		{"nothing", `{"content":[]}`, ""},
		{"parts", `{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, "a\nb"},
		{"structured content first", `{"content":[{"type":"text","text":"a"}],"structuredContent":{"n":1}}`, `{"n":1}`},
		{"image", `{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`, "[image image/png, 3 bytes]"},
		{"audio", `{"content":[{"type":"audio","mimeType":"audio/wav","data":"AAAA"}]}`, "[audio audio/wav, 3 bytes]"},
		{"link", `{"content":[{"type":"resource_link","uri":"file:///a","name":"a"}]}`, "[resource file:///a]"},
		{"resource", `{"content":[{"type":"resource","resource":{"uri":"file:///a","text":"long"}}]}`, "[resource file:///a]"},
	} {
		var r sdk.CallToolResult
		if err := json.Unmarshal([]byte(tt.result), &r); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if got := text(&r); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{strings.Repeat("x", 40), strings.Repeat("x", 40)},
		{strings.Repeat("x", 41), strings.Repeat("x", 17) + "\n[cut: 41 bytes in all]"},
		{strings.Repeat("é", 21), strings.Repeat("é", 8) + "\n[cut: 42 bytes in all]"},
		{"a\xffb", "a\uFFFDb"},
	} {
		if got := cut(tt.in, 40); got != tt.want {
			t.Errorf("cut(%q) = %q, want %q", tt.in, got, tt.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte(`{"content":[{"type":"text","text":"a"}],"isError":true}`))
	f.Add([]byte(`{"content":[{"type":"resource"}],"structuredContent":[1,{"a":"<b>"}]}`))
	f.Add([]byte(`{"content":[{"type":"tool_use","id":"1","name":"x","input":{}},{"type":"image","data":"AA=="}]}`))
	f.Add([]byte(`{"resultType":"input_required","inputRequests":{}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var r sdk.CallToolResult
		if json.Unmarshal(data, &r) != nil {
			return
		}
		if got := text(&r); len(got) > maxText || !utf8.ValidString(got) {
			t.Errorf("got %d bytes, valid: %t, want at most %d of UTF-8", len(got), utf8.ValidString(got), maxText)
		}
	})
}
