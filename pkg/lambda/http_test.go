package lambda

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"
)

// answer is what a caller gets.
type answer struct {
	Status int
	Header http.Header
	Body   string
}

// doors are the ways that a request comes to a handler; net/http's is the one to be like.
var doors = map[string]func(t *testing.T, h http.Handler, r *http.Request) answer{
	"net/http": overNetHTTP, "streamed": overStreamed, "buffered": overBuffered,
}

func TestRequestsAreThoseOfAnHTTPServer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, method, target, body string }{
		{"root", "POST", "/", `{"jsonrpc":"2.0"}`},
		{"query", "GET", "/tasks?contextId=c%2F1+2&pageSize=5&flag=", ""},
		{"a parameter given twice", "GET", "/tasks?status=a&status=b", ""},
		{"percent and plus in a query", "GET", "/tasks?pageToken=a%2Bb%25%26", ""},
		{"escaped slash in an id", "GET", "/tasks/a%2Fb", ""},
		{"escaped percent in an id", "GET", "/tasks/a%252Fb", ""},
		{"escaped question mark and hash", "GET", "/tasks/a%3Fb%23c", ""},
		{"escaped space and unicode", "GET", "/tasks/a%20%C3%A9", ""},
		{"a verb", "POST", "/tasks/1:cancel", "{}"},
		{"empty segments", "GET", "/tasks//1/", ""},
		{"a large body", "POST", "/message:send", strings.Repeat("x", 1<<20)},
		{"a binary body", "POST", "/message:send", "\xff\x00\xfe"},
		{"delete", "DELETE", "/tasks/1/pushNotificationConfigs/2", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			request := func() *http.Request {
				r := httptest.NewRequest(tt.method, tt.target, strings.NewReader(tt.body))
				r.Header["X-Many"] = []string{"1", "2, 3"}
				r.Header.Set("A2A-Version", "1.0")
				return r
			}
			agree(t, http.HandlerFunc(echo), request)
		})
	}
}

func TestRepliesAreThoseOfAnHTTPServer(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"nothing":       func(http.ResponseWriter, *http.Request) {},
		"a body alone":  func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<html>") },
		"a status":      func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) },
		"two statuses":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(400); w.WriteHeader(200) },
		"flush alone":   func(w http.ResponseWriter, _ *http.Request) { http.NewResponseController(w).Flush() },
		"no content":    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204); io.WriteString(w, "x") },
		"binary":        func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte{0xff, 0, 0xfe}) },
		"an empty body": func(w http.ResponseWriter, _ *http.Request) { w.Write(nil) },
		"an error":      func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusConflict) },
		"many values": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Add("X-Many", "1")
			w.Header().Add("X-Many", "2")
			io.WriteString(w, "ok")
		},
		"headers after the first byte": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Early", "1")
			io.WriteString(w, "ok")
			http.NewResponseController(w).Flush()
			w.Header().Set("X-Late", "1")
			w.Header().Set("X-Early", "2")
		},
		"events": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for i := range 3 {
				fmt.Fprintf(w, "data: %d\n\n", i)
				if err := http.NewResponseController(w).Flush(); err != nil {
					panic(err)
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			agree(t, h, func() *http.Request { return httptest.NewRequest("GET", "/", nil) })
		})
	}
	t.Run("head", func(t *testing.T) {
		t.Parallel()
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "text") })
		agree(t, h, func() *http.Request { return httptest.NewRequest("HEAD", "/", nil) })
	})
}

// agree checks that a handler's caller gets the same through every door.
func agree(t *testing.T, h http.Handler, request func() *http.Request) {
	t.Helper()
	want := overNetHTTP(t, h, request())
	for name, door := range doors {
		if diff := cmp.Diff(want, door(t, h, request())); diff != "" {
			t.Errorf("%s (-net/http +%s):\n%s", name, name, diff)
		}
	}
}

// echo answers with what it sees of a request.
func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	json.NewEncoder(w).Encode(map[string]any{
		"method": r.Method, "path": r.URL.EscapedPath(), "decoded": r.URL.Path, "query": r.URL.Query(),
		"many": r.Header.Values("X-Many"), "version": r.Header.Get("a2a-version"), "host header": r.Header.Get("Host"),
		"body": body, "length": r.ContentLength, "err": err,
	})
}

func overNetHTTP(t *testing.T, h http.Handler, r *http.Request) answer {
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.Start()
	defer s.Close()
	out, err := http.NewRequest(r.Method, s.URL+r.RequestURI, r.Body)
	if err != nil {
		t.Fatal(err)
	}
	out.Header, out.ContentLength = r.Header, r.ContentLength
	resp, err := s.Client().Do(out)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	return answerOf(t, resp.StatusCode, resp.Header, resp.Body)
}

func overStreamed(t *testing.T, h http.Handler, r *http.Request) answer {
	out, err := Streamed(h, quiet)(t.Context(), eventOf(t, r))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	return answerOf(t, out.StatusCode, out.MultiValueHeaders, out.Body)
}

func overBuffered(t *testing.T, h http.Handler, r *http.Request) answer {
	out, err := Buffered(h, quiet)(t.Context(), eventOf(t, r))
	if err != nil {
		t.Fatal(err)
	}
	body := []byte(out.Body)
	if out.IsBase64Encoded {
		if body, err = base64.StdEncoding.DecodeString(out.Body); err != nil {
			t.Fatal(err)
		}
	}
	return answerOf(t, out.StatusCode, out.MultiValueHeaders, bytes.NewReader(body))
}

var quiet = Options{Log: slog.New(slog.DiscardHandler)}

func answerOf(t *testing.T, status int, header http.Header, body io.Reader) answer {
	t.Helper()
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatalf("read the body: %v", err)
	}
	h := header.Clone()
	for _, name := range []string{"Date", "Content-Length"} { // a server's own
		h.Del(name)
	}
	if h == nil {
		h = http.Header{}
	}
	return answer{status, h, string(b)}
}

// eventOf is the event that a REST API makes of a request: the path as sent, the query decoded.
func eventOf(t *testing.T, r *http.Request) events.APIGatewayProxyRequest {
	t.Helper()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	path, query, _ := strings.Cut(r.RequestURI, "?")
	values, err := url.ParseQuery(query)
	if err != nil {
		t.Fatal(err)
	}
	e := events.APIGatewayProxyRequest{
		HTTPMethod: r.Method, Path: path,
		MultiValueHeaders: r.Header.Clone(), MultiValueQueryStringParameters: values,
		Body: base64.StdEncoding.EncodeToString(body), IsBase64Encoded: true,
	}
	e.RequestContext.DomainName = "abc123.execute-api.eu-central-1.amazonaws.com"
	e.MultiValueHeaders["host"] = []string{"liar.example"}
	return e
}

func TestNormal(t *testing.T) {
	t.Parallel()
	// What sam local start-api gives: single values, and a path it decoded.
	e := normal(events.APIGatewayProxyRequest{
		Path: "tasks/a b?é#%zz%2F", Headers: map[string]string{"Host": "x", "a": "1"},
		QueryStringParameters: map[string]string{"q": "1"},
	})
	want := events.APIGatewayProxyRequest{
		Path: "/tasks/a%20b%3F%C3%A9%23%25zz%2F", Headers: e.Headers,
		MultiValueHeaders:     map[string][]string{"a": {"1"}},
		QueryStringParameters: e.QueryStringParameters, MultiValueQueryStringParameters: map[string][]string{"q": {"1"}},
	}
	if diff := cmp.Diff(want, e); diff != "" {
		t.Errorf("normal (-want +got):\n%s", diff)
	}
}

// a caller's Host is nobody's URL.
func TestHostIsTheGateways(t *testing.T) {
	t.Parallel()
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Host) })
	for _, name := range []string{"streamed", "buffered"} {
		got := doors[name](t, h, httptest.NewRequest("GET", "/", nil)).Body
		if want := "abc123.execute-api.eu-central-1.amazonaws.com"; got != want {
			t.Errorf("%s: host: got %q, want %q", name, got, want)
		}
	}
}

func TestUnreadableEvents(t *testing.T) {
	t.Parallel()
	for name, e := range map[string]events.APIGatewayProxyRequest{
		"base64": {HTTPMethod: "POST", Path: "/", Body: "%", IsBase64Encoded: true},
		"method": {HTTPMethod: "no method", Path: "/"},
		"domain": {HTTPMethod: "GET", Path: "/", RequestContext: events.APIGatewayProxyRequestContext{DomainName: "%%"}},
	} {
		h := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Errorf("%s: reached the handler", name) })
		streamed, err := Streamed(h, quiet)(context.Background(), e)
		if err != nil || streamed.StatusCode != http.StatusBadRequest {
			t.Errorf("%s streamed: got %+v, %v, want 400", name, streamed, err)
		}
		body, _ := io.ReadAll(streamed.Body)
		buffered, err := Buffered(h, quiet)(context.Background(), e)
		if err != nil || buffered.StatusCode != http.StatusBadRequest || buffered.Body != string(body) {
			t.Errorf("%s buffered: got %+v, %v, want 400 with %s", name, buffered, err, body)
		}
	}
}
