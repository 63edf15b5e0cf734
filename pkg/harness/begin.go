package harness

import (
	"context"
	"errors"
	"io"
	"maps"
	"slices"
	"time"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// firstAsk is the step number of what is asked before the first step.
const firstAsk = 1 << 20

// begin pins what the turn is to keep: the definition, the model and the tools, which it asks the
// servers for. A server that wants another token makes the turn ask for a connection first, once for all
// servers of the app; declined, the turn goes on without their tools. What it waits with it keeps: another
// definition, deployed meanwhile, is for other turns.
func (s *slice) begin(ctx context.Context) (agent.Outcome, error) {
	if s.ledger.pin == nil {
		s.ledger.pin = &pin{Definition: *s.Definition, Model: s.Definition.Model}
	}
	p := s.ledger.pin
	d := &p.Definition
	p.Tools = builtins(d.Loop)
	var asks []interaction.Interaction
	waiting := false
	for n, name := range slices.Sorted(maps.Keys(d.Servers)) {
		tools, err := s.list(ctx, name)
		var needs *tool.NeedsConnection
		switch {
		case errors.As(err, &needs):
			ask, declined, err := s.connection(needs.App, needs, s.run.EffectID(firstAsk, n))
			if err != nil {
				return nil, err
			}
			asks = append(asks, ask...)
			waiting = waiting || !declined
			tools = nil
		case err != nil && (ctx.Err() != nil || s.yielding()):
			return nil, err
		case err != nil:
			return failed("The agent's tool server %s could not be reached.", name), nil
		}
		p.Tools = append(p.Tools, tools...)
	}
	p.Begun = !waiting
	if err := s.keep(pinRow, p); err != nil || p.Begun {
		return nil, err
	}
	step, err := s.take()
	return agent.Paused{Asks: asks, Step: step}, err
}

// list asks a server for its tools, again after a while if it fails.
func (s *slice) list(ctx context.Context, name string) ([]tool.Tool, error) {
	server, err := s.server(name)
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		tools, err := server.List(ctx)
		var needs *tool.NeedsConnection
		if err == nil || errors.As(err, &needs) {
			return tools, err
		}
		s.Log.ErrorContext(ctx, "harness: could not list tools", "server", name, "task", s.run.Task().Key.ID, "error", err)
		if n == maxFailures || s.pause(ctx, firstPause<<(2*(n-1))) != nil || s.yielding() {
			return nil, err
		}
	}
}

// server is a tool server as the turn's principal reaches it.
func (s *slice) server(name string) (tool.Server, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if server, ok := s.servers[name]; ok {
		return server, nil
	}
	server, err := s.Connect(name, s.ledger.pin.Definition.Servers[name], s.run.Task().Principal, s.connectedAt())
	if err == nil {
		s.servers[name] = server
	}
	return server, err
}

// connectedAt is when a person last said that an app is connected; zero: nobody did.
func (s *slice) connectedAt() (at time.Time) {
	for _, a := range s.answers {
		if a.Kind == interaction.Connection && a.Connected() && a.At.After(at) {
			at = a.At
		}
	}
	return at
}

// connection asks for what a server, or a call, needs, unless that is asked already. declined: the
// person said no.
func (s *slice) connection(about string, needs *tool.NeedsConnection, id string) (ask []interaction.Interaction, declined bool, err error) {
	before, ok := s.ledger.tokens[about]
	answer, answered := s.answers[before.ID]
	switch {
	case ok && !answered:
		return nil, false, nil // a person is asked already
	case ok && !answer.Connected():
		return nil, true, nil
	}
	i := interaction.NewConnection(round(id, before.Round+1), needs.App, needs.Reason)
	now := asked{ID: i.ID, Round: before.Round + 1}
	s.ledger.tokens[about] = now
	return []interaction.Interaction{i}, false, s.keep(tokenRows+about, now)
}

// close lets go of the servers that the slice reached.
func (s *slice) close() {
	for _, server := range s.servers {
		if c, ok := server.(io.Closer); ok {
			_ = c.Close() // what is lost by it is a connection
		}
	}
}
