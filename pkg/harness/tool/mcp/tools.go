package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"regexp"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/interlude-a2a/interlude/pkg/harness/policy"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// maxTools is the most tools of one server, before its definition chooses among them, and maxSaid the
// most bytes of what it says of those that are offered: a turn keeps it, and models read it.
// toolName is what MCP lets tools be called. Another name would be a person's prompt, too, and can't be
// written in a pattern.
const (
	maxTools = 512
	maxSaid  = 1 << 20
)

var toolName = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,128}$`)

var (
	errTooManyTools = errors.New("mcp: the server has too many tools")
	errTooMuchSaid  = errors.New("mcp: the server describes its tools in more than 1 MiB")
)

// describe reads all pages of a server's tools, those that the definition offers, sorted by name. It
// leaves out, and counts, those that no model could be told of: that are named as no tool may be, or as
// another one, or whose schema is no object.
func (s *Server) describe(ctx context.Context, session *sdk.ClientSession) ([]tool.Tool, error) {
	var tools []tool.Tool
	seen, said := 0, 0
	named := map[string]bool{}
	s.leftOut = 0
	for t, err := range session.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		if seen++; seen > maxTools {
			return nil, errTooManyTools
		}
		if !toolName.MatchString(t.Name) || named[t.Name] {
			s.leftOut++
			continue
		}
		if named[t.Name] = true; !s.offers(t.Name) {
			continue
		}
		described, err := describe(s.o.Name, t)
		if err != nil {
			return nil, err
		}
		if described.Schema[0] != '{' {
			s.leftOut++
			continue
		}
		if said += len(described.Description) + len(described.Schema); said > maxSaid {
			return nil, errTooMuchSaid
		}
		tools = append(tools, described)
	}
	slices.SortFunc(tools, func(a, b tool.Tool) int { return cmp.Compare(a.Name, b.Name) })
	return tools, nil
}

// offers reports whether the definition lets a tool be used. Its patterns are of the server's own names.
func (s *Server) offers(name string) bool {
	patterns := s.o.Server.Tools
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		return policy.Match(s.o.Name+"/"+p, s.o.Name, name)
	})
}

// describe keeps of a tool what a model is told and what a person approves by. All of that is in
// its hash; icons and _meta are not.
func describe(server string, t *sdk.Tool) (tool.Tool, error) {
	if t.InputSchema == nil {
		t.InputSchema = json.RawMessage(`{"type":"object"}`)
	}
	schema, err := json.Marshal(t.InputSchema)
	if err != nil {
		return tool.Tool{}, err
	}
	said, err := json.Marshal(sdk.Tool{
		Name: t.Name, Title: t.Title, Description: t.Description,
		InputSchema: t.InputSchema, OutputSchema: t.OutputSchema, Annotations: t.Annotations,
	})
	if err != nil {
		return tool.Tool{}, err
	}
	sum := sha256.Sum256(said)
	out := tool.Tool{Server: server, Name: t.Name, Description: t.Description, Schema: schema, Hash: hex.EncodeToString(sum[:])}
	if t.Annotations != nil {
		out.ReadOnly, out.Idempotent = t.Annotations.ReadOnlyHint, t.Annotations.IdempotentHint
	}
	return out, nil
}
