package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Defaults of [Options].
const (
	DefaultBlockingWait = 4*time.Minute + 30*time.Second
	DefaultPollMax      = time.Second
	DefaultLinger       = 30 * time.Second
	DefaultMaxPage      = 4 << 20
)

// Store is what the operations need of a [task.Store].
type Store interface {
	Create(ctx context.Context, r *task.Record, first []task.Event) error
	Read(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error)
	Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error)
	List(ctx context.Context, s task.Scope, q task.Query) (task.Page, error)
	Said(ctx context.Context, k task.Key, after task.TextMark) ([]task.Text, error)
}

// Watcher tells of a task's changes in this process, so that waiting calls need not poll for them, and
// lets them share their reads of it: Look is [Store]'s Read, and Listen its Said, for who alters nothing
// of what they return.
type Watcher interface {
	Watch(k task.Key) (changed <-chan struct{}, stop func())
	Look(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error)
	Listen(ctx context.Context, k task.Key, after task.TextMark) ([]task.Text, error)
}

// Options configure a [Server]. Store, Queue, Card and Secret are required.
type Options struct {
	Store  Store
	Queue  queue.Sender
	Card   a2a.AgentCard // as it is served: pkg/card builds it
	Secret Secret        // makes the task ids of idempotency keys, and seals page tokens

	// Authenticator tells who is calling; nil: everybody is anonymous (SRV-05).
	Authenticator access.Authenticator
	// ExtendedCard is what a caller may see beyond the card: its fields and skills are merged over
	// it (CARD-08). Nil for one that may see no more. Nil option: there is none.
	ExtendedCard func(ctx context.Context, p access.Principal) (*a2a.AgentCard, error)
	// Answer is the value a plain message gives a question (SRV-04); nil: its first data part,
	// else its text.
	Answer func(a2a.Message, interaction.Interaction) (json.RawMessage, error)
	// Journal reads what agents froze, for who may approve it; nil: nobody may.
	Journal func(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error]
	// OnError receives failures that fail no call (SRV-14); nil: they are logged.
	OnError func(error)

	MaxMessage int // most bytes of a message as JSON; default 1 MiB, which is also the most
	MaxParts   int // most parts of a message; default 1000, which is also the most
	MaxPage    int // most bytes, as JSON, of a list's page; default 4 MiB
	MaxStreams int // most streams that a tenant has open in this process; zero: no bound

	BlockingWait time.Duration // how long a blocking call waits; default 4 min 30 s
	Linger       time.Duration // how long a subscription stays open while the task waits for somebody; default 30 s
	PollMax      time.Duration // the longest pause between two looks at a followed task; default 1 s (SRV-11)
	Watcher      Watcher       // nil: followers poll, each on its own

	Owner        string                                                       // names this replica; default random (SRV-18)
	Recover      func(ctx context.Context, limit int) (task.Recovered, error) // nil: recovery runs elsewhere
	RecoverEvery time.Duration                                                // zero: no timer (SRV-13)

	Now func() time.Time // default time.Now
	Log *slog.Logger     // default slog.Default
}

// Server runs the operations. It is safe for concurrent use.
type Server struct {
	o     Options
	stop  context.CancelFunc
	timer sync.WaitGroup
	open  openStreams
}

// New checks options, fills in defaults, and starts the recovery timer if there is to be one.
func New(o Options) (*Server, error) {
	if o.Store == nil || o.Queue == nil || o.Card.Name == "" || o.Secret == nil {
		return nil, errors.New("server: store, queue, card and secret are required")
	}
	if o.RecoverEvery > 0 && o.Recover == nil {
		return nil, errors.New("server: a recovery timer needs something that recovers")
	}
	if o.MaxMessage == 0 {
		o.MaxMessage = task.MaxPiece
	}
	if o.MaxParts == 0 {
		o.MaxParts = a2a.MaxEntries
	}
	if o.MaxPage == 0 {
		o.MaxPage = DefaultMaxPage
	}
	if min(o.MaxMessage, o.MaxParts, o.MaxPage, o.MaxStreams) < 0 || o.MaxMessage > task.MaxPiece || o.MaxParts > a2a.MaxEntries {
		return nil, fmt.Errorf("server: a bound is negative, or beyond %d bytes and %d parts", task.MaxPiece, a2a.MaxEntries)
	}
	if o.BlockingWait == 0 {
		o.BlockingWait = DefaultBlockingWait
	}
	if o.Linger == 0 {
		o.Linger = DefaultLinger
	}
	if o.PollMax == 0 {
		o.PollMax = DefaultPollMax
	}
	if o.Owner == "" {
		o.Owner = task.NewID()
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	if o.OnError == nil {
		log := o.Log
		o.OnError = func(err error) { log.Error("server: a failure that fails no call", "error", err) }
	}
	s := &Server{o: o, stop: func() {}, open: openStreams{most: o.MaxStreams, count: map[string]int{}}}
	if o.RecoverEvery > 0 {
		s.startRecovery()
	}
	return s, nil
}

// Owner is this replica's name in the leases it holds (SRV-18).
func (s *Server) Owner() string { return s.o.Owner }

// Card is the card as it is served (CARD-07).
func (s *Server) Card() a2a.AgentCard { return s.o.Card }

// Authenticate tells who a request is for, for any binding (SRV-25). The error is an
// [*access.Unauthenticated], or an [*a2a.Error] where it could not be told.
func (s *Server) Authenticate(r *http.Request) (access.Principal, error) {
	if s.o.Authenticator == nil {
		return access.Principal{}, nil
	}
	p, err := s.o.Authenticator.Authenticate(r)
	var refused *access.Unauthenticated
	if err == nil || errors.As(err, &refused) {
		return p, err
	}
	return access.Principal{}, s.Internal(r.Context(), "Authenticate", err)
}

// Recover takes over working tasks whose worker is gone, up to limit; zero means 10 (SRV-19).
func (s *Server) Recover(ctx context.Context, limit int) (task.Recovered, error) {
	if s.o.Recover == nil {
		return task.Recovered{}, errors.New("server: recovery runs elsewhere")
	}
	return s.o.Recover(ctx, limit)
}

// Close stops the recovery timer; tasks that run carry on (SRV-20).
func (s *Server) Close() {
	s.stop()
	s.timer.Wait()
}

func (s *Server) startRecovery() {
	ctx, cancel := context.WithCancel(context.Background())
	s.stop = cancel
	s.timer.Go(func() {
		t := time.NewTicker(s.o.RecoverEvery)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
			}
			if _, err := s.o.Recover(ctx, 0); err != nil && ctx.Err() == nil {
				s.o.OnError(err)
			}
		}
	})
}
