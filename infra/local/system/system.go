// Package system is the whole of interlude in one process: the handlers of every binding, the
// worker, recovery, a store and a queue, wired as the Lambdas wire theirs.
//
// With a data folder tasks, messages in flight and the deployment's secret live in it, and
// survive a restart and kill −9. Without one everything ends with the process.
package system

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/binding"
	"github.com/interlude-a2a/interlude/pkg/binding/grpc"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/sqlite"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// Options configure a [System]. Agent, Card and URL are required.
type Options struct {
	Agent agent.Agent
	Card  a2a.AgentCard // its content; interfaces and capabilities are filled in
	// Extended is what callers see beyond the card; nil: nothing.
	Extended *a2a.AgentCard
	URL      string // where the handler is mounted, as the card says
	GRPC     string // host:port of ServeGRPC, as the card says; empty: it is not served

	// HeldCalls lets who may approve a call read it.
	HeldCalls bool

	Data         string        // folder; empty: everything in memory
	Lease        time.Duration // default 30 s
	Workers      int           // turns at once; default 16
	RecoverEvery time.Duration // default 1 minute
}

// System serves A2A and works on tasks.
type System struct {
	http.Handler
	db      *sql.DB // nil in memory
	queue   queue.Queue
	server  *server.Server
	worker  *turn.Worker
	workers int
}

// Open wires a system. Close it after its Run has returned.
func Open(o Options) (s *System, err error) {
	if o.Workers == 0 {
		o.Workers = 16
	}
	if o.RecoverEvery == 0 {
		o.RecoverEvery = time.Minute
	}
	s = &System{workers: o.Workers}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	inner, secret, err := s.open(o.Data)
	if err != nil {
		return nil, err
	}
	store := watch.New(inner)
	replica := task.NewID()
	s.worker, err = turn.New(turn.Options{Store: store, Queue: s.queue, Agent: o.Agent, Replica: replica, Lease: o.Lease})
	if err != nil {
		return nil, err
	}
	co := card.Options{URL: o.URL, Modified: time.Now(), Extended: o.Extended != nil}
	if o.GRPC != "" {
		co.Interfaces = []a2a.AgentInterface{{URL: o.GRPC, ProtocolBinding: a2a.BindingGRPC}}
	}
	c, err := card.Build(o.Card, co)
	if err != nil {
		return nil, err
	}
	so := server.Options{
		Store: store, Queue: s.queue, Card: c.Value(), Secret: server.Static(secret), Watcher: store, Owner: replica,
		Authenticator: access.None, ExtendedCard: server.ExtendedFor(o.Extended),
		RecoverEvery: o.RecoverEvery,
		Recover: func(ctx context.Context, limit int) (task.Recovered, error) {
			return turn.Recover(ctx, store, s.queue, time.Now(), limit)
		},
	}
	if o.HeldCalls {
		so.Journal = store.Journal
	}
	if s.server, err = server.New(so); err != nil {
		return nil, err
	}
	s.Handler = binding.New(s.server, c)
	return s, nil
}

// open opens store, queue and secret: in the data folder, or in memory.
func (s *System) open(data string) (task.Store, []byte, error) {
	if data == "" {
		s.queue = local.New(local.Options{})
		return memory.New(memory.Options{}), newSecret(), nil
	}
	if err := os.MkdirAll(data, 0o700); err != nil {
		return nil, nil, err
	}
	secret, err := secretIn(filepath.Join(data, "secret"))
	if err != nil {
		return nil, nil, err
	}
	if s.db, err = sqlite.Open(filepath.Join(data, "interlude.db")); err != nil {
		return nil, nil, err
	}
	store, err := sqlite.New(s.db)
	if err != nil {
		return nil, nil, err
	}
	if s.queue, err = local.Open(s.db, local.Options{}); err != nil {
		return nil, nil, fmt.Errorf("open queue: %w", err)
	}
	return store, secret, nil
}

// Run works on tasks until ctx ends, and returns when what it works on has stopped.
func (s *System) Run(ctx context.Context) {
	queue.Run(ctx, s.queue, s.workers, s.worker.Visible(), s.worker.Handle)
}

// ServeGRPC serves the same operations by gRPC until ctx ends.
func (s *System) ServeGRPC(ctx context.Context, l net.Listener) error {
	return grpc.Serve(ctx, l, s.server, grpc.Options{})
}

// Close stops the recovery timer and closes the data folder.
func (s *System) Close() error {
	var err error
	if s.server != nil {
		s.server.Close()
	}
	if s.db != nil {
		err = errors.Join(err, s.db.Close())
	}
	return err
}
