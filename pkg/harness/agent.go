package harness

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/policy"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// Options configure an [Agent]. Definition, Models and Connect are required.
type Options struct {
	Definition *definition.Definition
	// Models finds the model of an id, <endpoint>/<name> or an alias, and its name at its endpoint.
	// An empty id is the deployment's default. The error is for the caller to read.
	Models func(id string) (m model.Model, name string, err error)
	// Connect reaches a tool server for a principal, with a token that was looked up no earlier than
	// since, when a person last said that an app is connected. Nobody is called yet. What it
	// returns is closed at the end of a slice if it is an [io.Closer].
	Connect func(name string, s definition.Server, who access.Principal, since time.Time) (tool.Server, error)
	// Denied are patterns of tools that no definition can allow.
	Denied []string

	Parallel int // calls at once; default 8
	Now      func() time.Time
	Log      *slog.Logger
}

// Agent runs one definition. It is safe for concurrent use.
type Agent struct{ o Options }

var _ agent.Agent = (*Agent)(nil)

const defaultParallel = 8

// New checks options and fills in defaults.
func New(o Options) (*Agent, error) {
	if o.Definition == nil || o.Models == nil || o.Connect == nil {
		return nil, errors.New("harness: an agent needs a definition, models and tool servers")
	}
	if o.Parallel == 0 {
		o.Parallel = defaultParallel
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Agent{o}, nil
}

// Start implements [agent.Agent].
func (a *Agent) Start(ctx context.Context, r agent.Run, in agent.Input) (agent.Outcome, error) {
	return a.Resume(ctx, r, in, nil)
}

// Resume implements [agent.Agent].
func (a *Agent) Resume(ctx context.Context, r agent.Run, in agent.Input, answers map[string]interaction.Answer) (agent.Outcome, error) {
	l, err := readLedger(ctx, r)
	if err != nil {
		return nil, err
	}
	s := &slice{Options: a.o, run: r, in: in, answers: answers, ledger: l, began: a.o.Now(), servers: map[string]tool.Server{}, schemas: schemas{}}
	defer s.close()
	if l.pin == nil || !l.pin.Begun {
		if out, err := s.begin(ctx); out != nil || err != nil {
			return out, err
		}
	}
	s.policy = policy.New(&l.pin.Definition, a.o.Denied...)
	return s.turn(ctx)
}
