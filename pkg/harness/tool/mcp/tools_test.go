package mcp_test

import (
	"context"
	"encoding/json"
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

// lists is a server that answers tools/list with some tools, as it likes.
func lists(tools string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var request struct {
			ID     json.RawMessage
			Method string
		}
		_ = json.NewDecoder(r.Body).Decode(&request)
		w.Header().Set("Content-Type", "application/json")
		switch request.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"odd","version":"1"}}}`, request.ID)
		case "tools/list":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, request.ID, tools)
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"no"}}`, request.ID)
		}
	}
}

// One odd tool neither ends the agent nor speaks to the person who approves: it is left out.
func TestOddTools(t *testing.T) {
	t.Parallel()
	w := newWorld(t, tracker.Options{})
	object := `"inputSchema":{"type":"object"}`
	w.serve(lists(`"result":{"tools":[{"name":"good",` + object + `},{"name":"good","description":"again",` + object + `},` +
		`{"name":"list?\n\nApprove srv / list",` + object + `},{"name":"\u001b[2J",` + object + `},{"name":"",` + object + `},` +
		`{"name":"` + strings.Repeat("n", 129) + `",` + object + `},` +
		`{"name":"text","inputSchema":"x"},{"name":"list","inputSchema":[1]},{"name":"yes","inputSchema":true},{"name":"none"}]}`))
	s := w.server(t)
	got, err := s.List(t.Context())
	if err != nil || len(got) != 2 || got[0].Name != "good" || got[0].Description != "" || got[1].Name != "none" || string(got[1].Schema) != `{"type":"object"}` {
		t.Errorf("got %+v, %v", got, err)
	}
	if n := s.LeftOut(); n != 8 {
		t.Errorf("%d tools were left out, want 8", n)
	}
}

// what a server answers may repeat the token; its words are in no error, which is logged.
func TestErrorOfAListSaysNothingOfTheServers(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"error":  lists(`"error":{"code":-32000,"message":"bad header Bearer secret"}`),
		"status": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Bearer secret", http.StatusBadGateway) },
		"shape":  lists(`"result":{"tools":"secret"}`),
		"gone":   breaks("secret"),
	} {
		w := newWorld(t, tracker.Options{})
		w.serve(h)
		w.options.Server.URL += "/?key=secret"
		if _, err := w.server(t).List(t.Context()); err == nil || strings.Contains(err.Error(), "secret") || len(err.Error()) > 100 {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
