package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxText is the most bytes of a result that a model gets, the mark of a cut included.
const maxText = 64 << 10

// text is a result for the model: structured content where there is some, else its parts line by
// line, with placeholders for what is no text.
func text(r *sdk.CallToolResult) string {
	if r.StructuredContent != nil {
		var out bytes.Buffer
		enc := json.NewEncoder(&out)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(r.StructuredContent); err == nil {
			return cut(strings.TrimSuffix(out.String(), "\n"), maxText)
		}
	}
	parts := make([]string, len(r.Content))
	for i, c := range r.Content {
		parts[i] = part(c)
	}
	return cut(strings.Join(parts, "\n"), maxText)
}

func part(c sdk.Content) string {
	switch c := c.(type) {
	case *sdk.TextContent:
		return c.Text
	case *sdk.ImageContent:
		return fmt.Sprintf("[image %s, %d bytes]", c.MIMEType, len(c.Data))
	case *sdk.AudioContent:
		return fmt.Sprintf("[audio %s, %d bytes]", c.MIMEType, len(c.Data))
	case *sdk.ResourceLink:
		return fmt.Sprintf("[resource %s]", c.URI)
	case *sdk.EmbeddedResource:
		if c.Resource != nil {
			return fmt.Sprintf("[resource %s]", c.Resource.URI)
		}
	}
	return "[content of another kind]"
}

// cut leaves at most limit bytes of valid UTF-8, and says so where it took some away.
func cut(s string, limit int) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if len(s) <= limit {
		return s
	}
	mark := fmt.Sprintf("\n[cut: %d bytes in all]", len(s))
	end := limit - len(mark)
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + mark
}
