package bootstrap

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// CARD-04, SRV-17, SPEC-15: the built function's card lists the deployment's interfaces, says when the
// program was built, and is not sent again to who has it. R-71: no AWS is asked for it.
func TestCard(t *testing.T) {
	t.Parallel()
	settings := maps.Clone(working)
	settings["PUBLIC_URL"] = "https://agents.example.com/v1"
	settings["INTERFACES"] = `[{"url":"grpc.example.com:443","protocolBinding":"GRPC"}]`
	f := start(t, "api", settings)
	get := func(path string, headers map[string][]string) (int, http.Header, string) {
		t.Helper()
		request, err := json.Marshal(events.APIGatewayProxyRequest{HTTPMethod: http.MethodGet, Path: path, MultiValueHeaders: headers})
		if err != nil {
			t.Fatal(err)
		}
		reply, err := f.api.Invoke(f.ctx, request, time.Now().Add(timeout))
		if err != nil {
			t.Fatal(err)
		}
		body, err := reply.Rest()
		if err != nil {
			t.Fatal(err)
		}
		return reply.Status, reply.Header, string(body)
	}
	built, err := os.Stat(bootstrap(t, "api"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/.well-known/agent-card.json", "/v1/.well-known/agent-card.json"} {
		status, header, card := get(path, nil)
		if status != http.StatusOK || !strings.Contains(card, `{"url":"grpc.example.com:443","protocolBinding":"GRPC","protocolVersion":"1.0"}`) {
			t.Errorf("%s: got %d %s", path, status, card)
		}
		modified := built.ModTime().UTC().Format(http.TimeFormat)
		if got := header.Get("Last-Modified"); got != modified {
			t.Errorf("%s: Last-Modified is %q, want %q", path, got, modified)
		}
		for name, value := range map[string]string{"If-None-Match": header.Get("ETag"), "If-Modified-Since": modified} {
			if status, _, body := get(path, map[string][]string{name: {value}}); status != http.StatusNotModified || body != "" {
				t.Errorf("%s with %s: got %d %q", path, name, status, body)
			}
		}
	}
}
