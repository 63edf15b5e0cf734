package transcript

import (
	"context"
	"net"
	"net/http"
	"testing"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/binding"
	"github.com/interlude-a2a/interlude/pkg/binding/grpc"
	"github.com/interlude-a2a/interlude/test/scripted"
)

// system is a system of the scripted agent, served by every binding in memory.
type system struct {
	http http.Handler
	conn *rpc.ClientConn
}

func newSystem(t *testing.T) system {
	t.Helper()
	s, c := scripted.New(t, scripted.Options{Extended: extended})
	ctx, cancel := context.WithCancel(context.Background())
	l, served := bufconn.Listen(1<<20), make(chan error, 1)
	go func() { served <- grpc.Serve(ctx, l, s, grpc.Options{}) }()
	conn, err := rpc.NewClient("passthrough:agent", rpc.WithTransportCredentials(insecure.NewCredentials()),
		rpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		conn.Close()
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return system{binding.New(s, c), conn}
}

// extended shows more to alice.
func extended(_ context.Context, p access.Principal) (*a2a.AgentCard, error) {
	if p.Subject != "alice" {
		return nil, nil
	}
	return &a2a.AgentCard{Skills: []a2a.AgentSkill{{ID: "more", Name: "more", Description: "More.", Tags: []string{"more"}}}}, nil
}
