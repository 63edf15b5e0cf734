package awsconfig

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A body with a WriteTo of its own may make net/http drop the connection.
func TestBodiesCanOnlyBeRead(t *testing.T) {
	t.Parallel()
	var got io.Reader
	c := plainBody{doer(func(r *http.Request) (*http.Response, error) {
		got = r.Body
		return &http.Response{}, nil
	})}
	r := httptest.NewRequest(http.MethodPost, "/", struct {
		*strings.Reader
		io.Closer
	}{strings.NewReader("body"), io.NopCloser(nil)})
	if _, err := c.Do(r); err != nil {
		t.Fatal(err)
	}
	if _, ok := got.(io.WriterTo); ok {
		t.Error("the transport is handed a body with WriteTo")
	}
	if b, _ := io.ReadAll(got); string(b) != "body" {
		t.Errorf("body: got %q", b)
	}
}

type doer func(*http.Request) (*http.Response, error)

func (f doer) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestCredentials(t *testing.T) {
	t.Parallel()
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	if _, err := New(Options{Getenv: getenv}).Credentials.Retrieve(t.Context()); err == nil {
		t.Error("without keys: got no error")
	}
	env = map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_SESSION_TOKEN": "token"}
	c, err := New(Options{Getenv: getenv}).Credentials.Retrieve(t.Context())
	if err != nil || c.AccessKeyID != "id" || c.SecretAccessKey != "secret" || c.SessionToken != "token" {
		t.Errorf("got %+v, %v, want the three of the environment", c, err)
	}
}
