// Command local runs the whole system in one process on this machine: no account, no key, no
// Docker. It serves loopback only, because authentication is switched off.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/interlude-a2a/interlude/infra/local/system"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "interlude:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	set, err := readSettings(os.Getenv)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", set.port))
	if err != nil {
		return err
	}
	url := fmt.Sprintf("http://localhost:%d", port(listener))
	grpc, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", set.grpc))
	if err != nil {
		return fmt.Errorf("GRPC_PORT: %w", err)
	}
	defer grpc.Close()
	grpcAddr := fmt.Sprintf("localhost:%d", port(grpc))
	a, stop, err := openAgent(set)
	if err != nil {
		return err
	}
	defer stop()
	sys, err := system.Open(system.Options{Agent: a.agent, Card: a.card, Extended: a.extended, URL: url, GRPC: grpcAddr, Data: set.data, Lease: set.lease, HeldCalls: set.heldCalls})
	if err != nil {
		return err
	}
	defer sys.Close()
	fmt.Printf(greeting, url, grpcAddr, url, url)
	return serve(ctx, listener, grpc, sys)
}

func port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// shutdown is how long open calls have to end; linger when they are told to: streams and waits end then.
const (
	shutdown = 5 * time.Second
	linger   = 2 * time.Second
)

// serve answers and works until ctx ends. A turn that is cut short goes on at the next start.
func serve(ctx context.Context, listener, grpc net.Listener, sys *system.System) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	worked := make(chan struct{})
	go func() { defer close(worked); sys.Run(ctx) }()
	servedGRPC := make(chan error, 1)
	go func() { servedGRPC <- sys.ServeGRPC(ctx, grpc) }()
	calls, end := context.WithCancel(context.WithoutCancel(ctx))
	defer end()
	server := &http.Server{
		Handler:           loopbackOnly(sys),
		ReadHeaderTimeout: 10 * time.Second,
		BaseContext:       func(net.Listener) context.Context { return calls },
	}
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		<-ctx.Done()
		time.AfterFunc(linger, end)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdown)
		defer cancel()
		if err := server.Shutdown(grace); err != nil {
			slog.Error("local: calls were cut short", "error", err)
		}
	}()
	err := server.Serve(listener)
	stop()
	<-worked
	<-closed // Serve does not wait for open calls
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, <-servedGRPC)
}

const greeting = `interlude serves an A2A agent at %s, by gRPC at %s
card: %s/.well-known/agent-card.json

Try, in another terminal:

curl -s %s/message:send -H 'A2A-Version: 1.0' -H 'Content-Type: application/json' \
  -d '{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"Open a pull request for issue 1"}]}}'
`
