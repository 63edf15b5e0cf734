package grpc

import (
	"context"
	"crypto/tls"
	"net"
	"time"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/health"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/reflection"

	"github.com/interlude-a2a/interlude/pkg/server"
)

// Options configure [Serve].
type Options struct {
	TLS *tls.Config // nil: in the clear, for this machine or behind who ends TLS
}

const (
	// maxMessage is the most bytes of a request.
	maxMessage = 4 << 20
	// quiet is how long a connection says nothing until it is asked whether it still is one.
	quiet = 30 * time.Second
	// ping is how often a caller may ask the same: gRPC's default of 5 minutes ends the connections of
	// who follows a task and looks after its connection.
	ping = 10 * time.Second
	// age is how long a connection takes new calls, and how long those on it may go on then: nobody
	// who reads nothing keeps a stream for ever, and who follows one for longer subscribes anew.
	age = time.Hour
	// grace is how long calls have to end when the server stops.
	grace = 5 * time.Second
)

// Serve serves a server's operations, health and reflection until ctx ends: then no call is taken
// any more, and those under way have five seconds.
func Serve(ctx context.Context, l net.Listener, s *server.Server, o Options) error {
	options := []grpc.ServerOption{
		grpc.ForceServerCodecV2(boundedCodec()),
		grpc.MaxRecvMsgSize(2 * maxMessage), // of what is somewhat too large the codec says what is wrong
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: quiet, MaxConnectionAge: age, MaxConnectionAgeGrace: age}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: ping, PermitWithoutStream: true}),
	}
	if o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	g := grpc.NewServer(options...)
	a2apb.RegisterA2AServiceServer(g, &service{server: s})
	alive := health.NewServer()
	alive.SetServingStatus(a2apb.A2AService_ServiceDesc.ServiceName, healthpb.HealthCheckResponse_SERVING)
	healthpb.RegisterHealthServer(g, alive)
	reflection.Register(g)
	ended := make(chan struct{})
	defer close(ended)
	go func() {
		select {
		case <-ctx.Done():
		case <-ended:
			return
		}
		alive.Shutdown()
		hard := time.AfterFunc(grace, g.Stop)
		defer hard.Stop()
		g.GracefulStop()
	}()
	return g.Serve(l)
}
