package scripted

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// Options are what tests differ in.
type Options struct {
	URL      string   // of the card; default http://agent.test
	Bindings []string // of the card; default all
	// Extended is what callers see beyond the card; nil: there is none.
	Extended func(context.Context, access.Principal) (*a2a.AgentCard, error)
}

// New serves the agent until the test ends.
func New(t testing.TB, o Options) (*server.Server, *card.Card) {
	t.Helper()
	if o.URL == "" {
		o.URL = "http://agent.test"
	}
	c, err := card.Build(a2a.AgentCard{Name: "test", Description: "A test.", Version: "1"}, card.Options{
		URL: o.URL, Bindings: o.Bindings, Extended: o.Extended != nil, Modified: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	})
	if err != nil {
		t.Fatal(err)
	}
	store, q, log := watch.New(memory.New(memory.Options{})), local.New(local.Options{}), slog.New(slog.DiscardHandler)
	s, err := server.New(server.Options{
		Store: store, Watcher: store, Queue: q, Card: c.Value(), Log: log, BlockingWait: 10 * time.Second,
		Secret: server.Static(make([]byte, 32)), Authenticator: access.AuthenticatorFunc(authenticate), ExtendedCard: o.Extended,
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
		queue.Run(ctx, q, 16, 40*time.Second, worker.Handle)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	return s, c
}

// authenticate takes a bearer token for its subject; to ask for that of broken fails.
func authenticate(r *http.Request) (access.Principal, error) {
	subject, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch {
	case !ok:
		return access.Principal{}, &access.Unauthenticated{Challenge: `Bearer realm="test"`}
	case r.Method == "" || r.URL == nil || r.Host == "" || r.RemoteAddr == "" || r.Body == nil:
		return access.Principal{}, errors.New("the request is not whole")
	case subject == "panicking":
		panic("the secret issuer fell over")
	case subject == "broken":
		return access.Principal{}, errors.New("the secret issuer is away")
	}
	return access.Principal{Subject: subject}, nil
}
