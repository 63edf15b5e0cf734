// Command grpc serves A2A by gRPC as a container, over the table and the queue of a deployment: its
// turn and recover functions do the work.
//
// Callers prove who they are by certificates (mutual TLS); without that it serves emulated AWS only.
package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/binding/grpc"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/parameter"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Getenv, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "grpc:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, getenv func(string) string, out io.Writer) error {
	set, err := readSettings(getenv)
	if err != nil {
		return err
	}
	log := lambda.NewLog(out, set.LogLevel)
	slog.SetDefault(log)
	cloud, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return err
	}
	if set.Endpoint != "" {
		cloud.BaseEndpoint = aws.String(set.Endpoint)
	}
	s, err := open(set, cloud, log)
	if err != nil {
		return err
	}
	defer s.Close()
	l, err := net.Listen("tcp", set.address)
	if err != nil {
		return err
	}
	log.Info("grpc serves", "address", l.Addr().String(), "tls", set.tls != nil)
	return grpc.Serve(ctx, l, s, grpc.Options{TLS: set.tls})
}

// open wires the server of a deployment.
func open(set settings, cloud aws.Config, log *slog.Logger) (*server.Server, error) {
	content, more, err := cardsOf(set.Agent)
	if err != nil {
		return nil, err
	}
	c, err := card.Build(content, card.Options{URL: set.PublicURL, Interfaces: set.Interfaces, Extended: more != nil})
	if err != nil {
		return nil, err
	}
	store := watch.New(dynamodb.New(awsdynamodb.NewFromConfig(cloud), set.Table, dynamodb.Options{}))
	o := server.Options{
		Store: store, Watcher: store, Queue: sqs.New(awssqs.NewFromConfig(cloud), set.QueueURL), Card: c.Value(), Log: log,
		Secret: parameter.New(cloud, set.SecretParameter).Get, Authenticator: set.authenticator, BlockingWait: set.BlockingWait, MaxMessage: set.MaxMessage, MaxParts: set.MaxParts, MaxStreams: set.MaxStreams,
		ExtendedCard: server.ExtendedFor(more),
	}
	if set.HeldCalls {
		o.Journal = store.Journal
	}
	return server.New(o)
}

// cardsOf are the content of the agent's card and what callers see beyond it, which stand beside the
// program.
func cardsOf(agent string) (content a2a.AgentCard, more *a2a.AgentCard, err error) {
	if agent == lambda.Scripted {
		return agenttest.Card, nil, nil
	}
	program, err := os.Executable()
	if err != nil {
		return content, nil, err
	}
	content, more, err = card.Read(os.DirFS(filepath.Join(filepath.Dir(program), "cards")), agent)
	if err != nil {
		err = fmt.Errorf("AGENT is %q: %w", agent, err)
	}
	return content, more, err
}
