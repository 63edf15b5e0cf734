package mcp_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/interlude-a2a/interlude/infra/tracker"
)

// manyTools is a server that lists its tools on pages, each with so many bytes of description.
func manyTools(n, page, said int) http.Handler {
	server := sdk.NewServer(&sdk.Implementation{Name: "many", Version: "1"}, &sdk.ServerOptions{PageSize: page})
	for i := range n {
		sdk.AddTool(server, &sdk.Tool{Name: fmt.Sprintf("tool_%03d", i), Description: strings.Repeat("d", said)},
			func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
				return &sdk.CallToolResult{}, nil, nil
			})
	}
	return sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
}

func TestListReadsAllPagesUpToABound(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ tools, page, said, want int }{
		{0, 2, 0, 0}, {5, 2, 0, 5}, {512, 100, 0, 512}, {513, 100, 0, -1}, {9, 3, 100 << 10, 9}, {11, 3, 100 << 10, -1},
	} {
		w := newWorld(t, tracker.Options{})
		w.serve(manyTools(tt.tools, tt.page, tt.said))
		got, err := w.server(t).List(t.Context())
		if tt.want < 0 && err == nil || tt.want >= 0 && (err != nil || len(got) != tt.want) {
			t.Errorf("of %d tools: got %d and %v, want %d", tt.tools, len(got), err, tt.want)
		}
	}
}
