package binding_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/binding"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// authenticate takes a bearer token for its subject.
func authenticate(r *http.Request) (access.Principal, error) {
	subject, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !ok:
		return access.Principal{}, &access.Unauthenticated{Challenge: `Bearer realm="test"`}
	case subject == "broken":
		return access.Principal{}, errors.New("the secret issuer is away")
	}
	return access.Principal{Subject: subject}, nil
}

// newHandler serves an agent that plays scripts under url, until the test ends.
func newHandler(t testing.TB, url string, bindings ...string) http.Handler {
	t.Helper()
	c, err := card.Build(
		a2a.AgentCard{Name: "test", Description: "A test.", Version: "1"},
		card.Options{URL: url, Bindings: bindings, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
	)
	if err != nil {
		t.Fatal(err)
	}
	store, q, log := memory.New(memory.Options{}), local.New(local.Options{}), slog.New(slog.DiscardHandler)
	s, err := server.New(server.Options{
		Store: store, Queue: q, Card: c.Value(), Log: log, BlockingWait: 10 * time.Second,
		Secret: server.Static(make([]byte, 32)), Authenticator: access.AuthenticatorFunc(authenticate),
	})
	if err != nil {
		t.Fatal(err)
	}
	worker, err := turn.New(turn.Options{Store: store, Queue: q, Agent: &agenttest.Agent{}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		queue.Run(ctx, q, 2, 40*time.Second, worker.Handle)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return binding.New(s, c)
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

// rpc is a body of JSON-RPC.
func rpc(id, method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// message is parameters of SendMessage.
func message(text string) string {
	return fmt.Sprintf(`{"message":{"messageId":"m-1","contextId":"c-1","role":"ROLE_USER","parts":[{"text":%q}]}}`, text)
}
