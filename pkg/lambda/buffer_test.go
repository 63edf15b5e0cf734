package lambda

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/lambda"
)

// Lambda drops a reply above its limit, and API Gateway makes a bare 502 of that: the caller is
// told instead. What fits is returned, up to the last byte.
func TestBufferedReplyAboveTheLimit(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		body   string
		status int
	}{
		{"plain, 6 MB", strings.Repeat("x", 6_000_000), 200},
		{"markup, which is not escaped", strings.Repeat("<", 6_000_000), 200},
		{"plain, 7 MB", strings.Repeat("x", 7_000_000), 500},
		{"quotes, which are escaped", strings.Repeat(`"`, 3_500_000), 500},
		{"control characters, six bytes each", strings.Repeat("\x01", 1_100_000), 500},
		{"binary, which becomes base64", strings.Repeat("\xff", 5_000_000), 500},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("X-Of-The-Handler", "1")
				io.WriteString(w, tt.body)
			})
			event, err := json.Marshal(eventOf(t, httptest.NewRequest("GET", "/tasks", nil)))
			if err != nil {
				t.Fatal(err)
			}
			sent, err := lambda.NewHandler(Buffered(h, quiet)).Invoke(t.Context(), event)
			if err != nil {
				t.Fatal(err)
			}
			if len(sent) > maxReply {
				t.Errorf("%d bytes, want at most %d", len(sent), maxReply)
			}
			var out struct {
				StatusCode        int                 `json:"statusCode"`
				MultiValueHeaders map[string][]string `json:"multiValueHeaders"`
			}
			if err := json.Unmarshal(sent, &out); err != nil || out.StatusCode != tt.status {
				t.Errorf("status %d, %v, want %d", out.StatusCode, err, tt.status)
			}
			if kept := out.MultiValueHeaders["X-Of-The-Handler"] != nil; kept != (tt.status == 200) {
				t.Errorf("the handler's headers: kept is %t", kept)
			}
			if tt.status != 200 && !bytes.Contains(sent, []byte("above 6 MB")) {
				t.Errorf("got %s, want an error that says why", sent)
			}
		})
	}
}
