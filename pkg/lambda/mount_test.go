package lambda

import (
	"errors"
	"io"
	"net/http"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
)

// the card's URL is a setting or the gateway's own, and what is below it is found there,
// whether or not an event's path has the stage.
func TestMount(t *testing.T) {
	t.Parallel()
	const gatewayDomain = "q1w2.execute-api.eu-central-1.amazonaws.com"
	for _, tt := range []struct{ public, domain, path, wantURL, wantPath string }{
		{"", gatewayDomain, "/", "https://" + gatewayDomain + "/a2a", "/a2a/"},
		{"", gatewayDomain, "/tasks/a%2Fb", "https://" + gatewayDomain + "/a2a", "/a2a/tasks/a%2Fb"},
		{"", "agents.example", "/tasks", "https://agents.example", "/tasks"},
		{"https://agents.example/", gatewayDomain, "/tasks", "https://agents.example", "/tasks"},
		{"https://agents.example/v1", "agents.example", "/v1/tasks", "https://agents.example/v1", "/v1/tasks"},
		{"https://agents.example/v1", "agents.example", "/v1", "https://agents.example/v1", "/v1"},
		{"https://agents.example/v1", "agents.example", "/v10", "https://agents.example/v1", "/v1/v10"},
		{"http://localhost:8080", "localhost", "/x%20y", "http://localhost:8080", "/x%20y"},
	} {
		var built []string
		h, err := Mount(tt.public, func(url string) (http.Handler, error) {
			built = append(built, url)
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.URL.EscapedPath()) }), nil
		}, quiet)
		if err != nil {
			t.Fatal(err)
		}
		e := events.APIGatewayProxyRequest{HTTPMethod: "GET", Path: tt.path, MultiValueHeaders: map[string][]string{"Host": {"liar.example"}}}
		e.RequestContext.DomainName, e.RequestContext.Stage = tt.domain, "a2a"
		for range 2 {
			out, err := Buffered(h, quiet)(t.Context(), e)
			if err != nil || out.Body != tt.wantPath {
				t.Errorf("%+v: got %q, %v, want %q", tt, out.Body, err, tt.wantPath)
			}
		}
		if diff := cmp.Diff([]string{tt.wantURL}, built); diff != "" {
			t.Errorf("%+v: built for (-want +got):\n%s", tt, diff)
		}
	}
}

func TestMountThatCannotBeBuilt(t *testing.T) {
	t.Parallel()
	failing := errors.New("the inside")
	build := func(string) (http.Handler, error) { return http.NotFoundHandler(), failing }
	if _, err := Mount("https://a.example", build, quiet); !errors.Is(err, failing) {
		t.Errorf("at the start: got %v, want %v", err, failing)
	}
	h, err := Mount("", build, quiet)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{http.StatusInternalServerError, http.StatusNotFound} {
		out, err := Buffered(h, quiet)(t.Context(), get)
		if err != nil || out.StatusCode != want {
			t.Errorf("got %d, %v, want %d", out.StatusCode, err, want)
		}
		failing = nil
	}
}
