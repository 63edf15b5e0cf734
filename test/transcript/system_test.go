package transcript

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/binding"
	"github.com/interlude-a2a/interlude/pkg/binding/grpc"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// system is a system of the scripted agent, served by every binding in memory.
type system struct {
	http http.Handler
	conn *rpc.ClientConn
}

func newSystem(t *testing.T) system {
	t.Helper()
	c, err := card.Build(a2a.AgentCard{Name: "test", Description: "A test.", Version: "1"},
		card.Options{URL: "http://agent.test", Modified: time.Now(), Extended: true})
	if err != nil {
		t.Fatal(err)
	}
	store, q, log := watch.New(memory.New(memory.Options{})), local.New(local.Options{}), slog.New(slog.DiscardHandler)
	s, err := server.New(server.Options{
		Store: store, Watcher: store, Queue: q, Card: c.Value(), Log: log, BlockingWait: 10 * time.Second,
		Secret: server.Static(make([]byte, 32)), Authenticator: access.AuthenticatorFunc(authenticate), ExtendedCard: extended,
	})
	if err != nil {
		t.Fatal(err)
	}
	worker, err := turn.New(turn.Options{Store: store, Queue: q, Agent: &agenttest.Agent{}, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l := bufconn.Listen(1 << 20)
	worked, served := make(chan struct{}), make(chan error, 1)
	go func() { defer close(worked); queue.Run(ctx, q, 16, 40*time.Second, worker.Handle) }()
	go func() { served <- grpc.Serve(ctx, l, s, grpc.Options{}) }()
	conn, err := rpc.NewClient("passthrough:agent", rpc.WithTransportCredentials(insecure.NewCredentials()),
		rpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		cancel()
		<-worked
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return system{binding.New(s, c), conn}
}

// authenticate takes a bearer token for its subject.
func authenticate(r *http.Request) (access.Principal, error) {
	subject, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return access.Principal{}, &access.Unauthenticated{Challenge: "Bearer"}
	}
	return access.Principal{Subject: subject}, nil
}

// extended shows more to alice.
func extended(_ context.Context, p access.Principal) (*a2a.AgentCard, error) {
	if p.Subject != "alice" {
		return nil, nil
	}
	return &a2a.AgentCard{Skills: []a2a.AgentSkill{{ID: "more", Name: "more", Description: "More.", Tags: []string{"more"}}}}, nil
}
