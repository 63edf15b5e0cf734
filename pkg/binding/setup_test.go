package binding_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/binding"
	"github.com/interlude-a2a/interlude/test/scripted"
)

// newHandler serves an agent that plays scripts under url, until the test ends.
func newHandler(t testing.TB, url string, bindings ...string) http.Handler {
	t.Helper()
	return binding.New(scripted.New(t, scripted.Options{URL: url, Bindings: bindings}))
}

// request is a request of alice's, in version 1.0, with a JSON body if it has one. headers, in
// pairs, replace those; an empty value removes one.
func request(method, target, body string, headers ...string) *http.Request {
	r := httptest.NewRequest(method, target, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer alice")
	r.Header.Set("A2A-Version", "1.0")
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		if headers[i+1] == "" {
			r.Header.Del(headers[i])
			continue
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	return r
}

func do(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// deepMessage are params of a send that nest so many levels deep.
func deepMessage(levels int) string {
	const above = 4 // the params, the message, its parts, the part
	return `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"data":` + strings.Repeat("[", levels-above) + strings.Repeat("]", levels-above) + `}]}}`
}

// rpc is a body of JSON-RPC.
func rpc(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// message is parameters of SendMessage.
func message(text string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m-1","contextId":"c-1","role":"ROLE_USER","parts":[{"text":%q}]}}`, text)
}
