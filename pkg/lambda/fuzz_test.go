package lambda

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
)

// FuzzEvent gives both doors an event that nobody vouches for: they answer, alike, and the handler
// sees the path as it was escaped, the query and the body.
func FuzzEvent(f *testing.F) {
	f.Add("GET", "/tasks/a%2Fb", "contextId", "c d&=+", []byte("{}"))
	f.Add("POST", "//x?y#z", "", "", []byte{0xff})
	f.Add("", "", "%", "\x00", []byte(nil))
	f.Add("get it", "/%zz%", "a", "b", []byte("x"))
	f.Fuzz(func(t *testing.T, method, path, name, value string, body []byte) {
		e := events.APIGatewayProxyRequest{
			HTTPMethod: method, Path: path, MultiValueQueryStringParameters: map[string][]string{name: {value, value}},
			Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true,
		}
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if escaped := r.URL.EscapedPath(); escaped != escapePath(path) {
				t.Errorf("path: got %q, want %q", escaped, escapePath(path))
			}
			if query, err := url.ParseQuery(r.URL.RawQuery); err != nil || !cmp.Equal(query[name], []string{value, value}) {
				t.Errorf("query: got %q, %v, want %q twice", query, err, value)
			}
			w.Header().Set("Content-Type", "application/octet-stream")
			var got bytes.Buffer
			if _, err := got.ReadFrom(r.Body); err != nil {
				t.Errorf("body: %v", err)
			}
			w.Write(got.Bytes())
		})
		streamed, err := Streamed(h, quiet)(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		one := answerOf(t, streamed.StatusCode, streamed.MultiValueHeaders, streamed.Body)
		buffered, err := Buffered(h, quiet)(t.Context(), e)
		if err != nil {
			t.Fatal(err)
		}
		reply := []byte(buffered.Body)
		if buffered.IsBase64Encoded {
			if reply, err = base64.StdEncoding.DecodeString(buffered.Body); err != nil {
				t.Fatal(err)
			}
		}
		other := answerOf(t, buffered.StatusCode, buffered.MultiValueHeaders, bytes.NewReader(reply))
		if diff := cmp.Diff(one, other); diff != "" {
			t.Errorf("the doors differ (-streamed +buffered):\n%s", diff)
		}
	})
}
