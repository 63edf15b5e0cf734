package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/policy"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// maxTries is how often a call is made that surely did nothing, or may be made twice.
const maxTries = 3

// makeCalls makes calls side by side, those that write one at a time at each server. One that fails
// ends none of the others; the first error is returned when all have ended.
func (s *slice) makeCalls(ctx context.Context, ids []string) error {
	var wg sync.WaitGroup
	places := make(chan struct{}, s.Parallel)
	writing := map[string]chan struct{}{}
	errs := make([]error, len(ids))
	for i, id := range ids {
		c := s.ledger.calls[id]
		if writing[c.Server] == nil {
			writing[c.Server] = make(chan struct{}, 1)
		}
		one := writing[c.Server]
		wg.Go(func() {
			defer func() {
				if p := recover(); p != nil { // the worker's own would not see it
					errs[i] = fmt.Errorf("harness: a call panicked: %v\n%s", p, debug.Stack())
				}
			}()
			places <- struct{}{}
			defer func() { <-places }()
			if c.Class == task.ClassWrite {
				one <- struct{}{}
				defer func() { <-one }()
			}
			if !s.yielding() {
				errs[i] = s.makeCall(ctx, c)
			}
		})
	}
	wg.Wait()
	return errors.Join(errs...)
}

// makeCall makes one call: intent, call, outcome. It is the only place from which a call goes out,
// and the intent's own condition is that the call is approved.
func (s *slice) makeCall(ctx context.Context, c call) error {
	if agent.CallHash(c.Server, c.Tool, c.Arguments) != c.Hash {
		return errTampered
	}
	unsure := s.unsure(c)
	if s.deniedNow(c) {
		if err := s.takeOver(ctx, c); err != nil {
			return err
		}
		return s.notMade(ctx, c, unsure, result{Code: codeDenied, Text: "This agent may not use the tool any more."})
	}
	server, err := s.server(c.Server)
	if err != nil {
		return err
	}
	ctx, done, err := s.run.Intent(ctx, c.ID)
	if err != nil {
		return err
	}
	defer done()
	t := s.try(ctx, server, c)
	unsure = unsure || t.unsure
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx) // nobody knows: whoever takes over asks, or sends it again
	case t.again:
		return s.putOff(ctx, c, unsure)
	}
	return s.outcome(ctx, c, t.out, unsure)
}

// takeOver makes a call that a lost run sent this run's, to say what it came to.
func (s *slice) takeOver(ctx context.Context, c call) error {
	if e, _ := s.run.Effect(c.ID); e.State != task.EffectSent {
		return nil
	}
	_, done, err := s.run.Intent(ctx, c.ID)
	if err == nil {
		done()
	}
	return err
}

// unsure reports whether an earlier attempt of a call may have had its effect.
func (s *slice) unsure(c call) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.effect(c.ID)
	return s.ledger.unsure[c.ID] || c.Class != task.ClassRead && (e.Round > 1 || e.State == task.EffectSent)
}

// putOff leaves a call that may be made again to the next slice.
func (s *slice) putOff(ctx context.Context, c call, unsure bool) error {
	if e, _ := s.run.Effect(c.ID); e.State != task.EffectSent {
		return nil // it only reads: there is nothing to take back
	}
	step := task.Step{Release: []string{c.ID}}
	if unsure {
		r, err := s.remember(c)
		if err != nil {
			return err
		}
		step.Rows = append(step.Rows, r)
	}
	return s.run.Step(ctx, step)
}

// remember keeps, for those who come after, that a call may have had its effect.
func (s *slice) remember(c call) (task.Row, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ledger.unsure[c.ID] = true
	return row(unsureRows+c.ID, true)
}

// deniedNow reports whether the deployment denies a tool by now, whatever a person approved before.
func (s *slice) deniedNow(c call) bool {
	return s.policy.Decide(tool.Tool{Server: c.Server, Name: c.Tool}) == policy.Deny
}

// tried is what the attempts of a call came to.
type tried struct {
	out    tool.Outcome // of the last
	again  bool         // it may be made again, but not in this slice
	unsure bool         // one of them may have had its effect
}

// try makes a call until it has an answer, or may not be made again by itself.
func (s *slice) try(ctx context.Context, server tool.Server, c call) (t tried) {
	timeout := s.ledger.pin.Definition.Servers[c.Server].Timeout
	for n := range maxTries {
		if n > 0 && s.pause(ctx, time.Second<<n) != nil || ctx.Err() != nil {
			return t
		}
		if n > 0 && s.yielding() {
			t.again = true
			return t
		}
		callCtx, cancel := context.WithTimeout(ctx, timeout)
		t.out = server.Call(callCtx, tool.Call{Tool: c.Tool, Arguments: c.Arguments, EffectID: c.ID, Hash: c.ToolHash, Late: ctx.Err})
		cancel()
		again := false
		switch o := t.out.(type) {
		case tool.NotSent:
			again = o.Passing
		case tool.Unknown:
			again = c.Class != task.ClassWrite
			t.unsure = t.unsure || c.Class != task.ClassRead
		}
		if !again {
			return t
		}
	}
	return t
}

// outcome writes what a call came to. unsure: an attempt before the last may have had its effect.
func (s *slice) outcome(ctx context.Context, c call, out tool.Outcome, unsure bool) error {
	switch o := out.(type) {
	case tool.Answered:
		return s.came(ctx, c, result{Text: o.Text, Error: o.Error})
	case tool.NotSent:
		return s.notMade(ctx, c, unsure, result{Code: codeDown, Text: "The call was not made: " + o.Reason})
	case tool.Changed:
		return s.notMade(ctx, c, unsure, result{Code: codeChanged, Text: "The tool is not what it was; the call was not made."})
	case tool.Unknown:
		if c.Class == task.ClassWrite {
			return s.run.Step(ctx, task.Step{Unknown: []string{c.ID}})
		}
		return s.came(ctx, c, result{Code: codeDown, Text: "No answer came: " + o.Reason})
	case *tool.NeedsConnection:
		return s.needs(c, o, unsure)
	}
	return fmt.Errorf("harness: a server came to %T", out)
}

// notMade writes that a call was not made, unless an earlier attempt may have been: a model that is
// told so would make it anew.
func (s *slice) notMade(ctx context.Context, c call, unsure bool, r result) error {
	if unsure {
		r = result{Code: codeUnknown, Text: maybeHappened}
	}
	return s.came(ctx, c, r)
}

func (s *slice) came(ctx context.Context, c call, r result) error {
	r = r.withCode()
	written, err := row(resultRows+c.ID, r)
	if err != nil {
		return err
	}
	err = s.run.Step(ctx, task.Step{Rows: []task.Row{written}, Settle: []string{c.ID}})
	if err == nil {
		s.mu.Lock()
		s.ledger.results[c.ID] = r
		s.mu.Unlock()
	}
	return err
}

// needs has a person asked for a connection; the call, whose last attempt had no effect, is made after it.
func (s *slice) needs(c call, n *tool.NeedsConnection, unsure bool) error {
	if unsure {
		r, err := s.remember(c)
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.pending.Rows = append(s.pending.Rows, r)
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if open, ok := s.askedFor(c); ok {
		open.Round = max(open.Round, s.ledger.tokens[c.ID].Round) // of the call's own questions
		s.ledger.tokens[c.ID] = open
		err = s.keep(tokenRows+c.ID, open)
	} else {
		var asks []interaction.Interaction
		asks, _, err = s.connection(c.ID, n, s.connectionID(c.ID))
		s.raised = append(s.raised, asks...)
	}
	if e, _ := s.run.Effect(c.ID); e.State == task.EffectSent {
		s.pending.Release = append(s.pending.Release, c.ID)
	}
	return err
}

// askedFor is what a person is asked already for another call of the same app, and has not answered.
func (s *slice) askedFor(c call) (asked, bool) {
	for _, id := range s.ledger.open() {
		open, ok := s.ledger.tokens[id]
		if _, answered := s.answers[open.ID]; ok && !answered && id != c.ID && s.app(s.ledger.calls[id].Server) == s.app(c.Server) {
			return open, true
		}
	}
	return asked{}, false
}

// app is what a server's calls need a connection to.
func (s *slice) app(server string) string {
	return cmp.Or(s.ledger.pin.Definition.Servers[server].Connection, server)
}

// firstConnection is the index, within a step, of what is asked to connect for its first call.
const firstConnection = 1 << 10

func (s *slice) connectionID(id string) string {
	n := len(s.ledger.steps) - 1
	return s.run.EffectID(n, firstConnection+slices.Index(s.ledger.steps[n].Calls, id))
}
