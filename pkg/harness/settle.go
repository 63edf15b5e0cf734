package harness

import (
	"context"
	"errors"
	"fmt"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Texts for the model beside a code.
const (
	notAgain      = "The person did not approve this call. Do not repeat it unless they ask."
	maybeHappened = "It may or may not have happened; check before repeating it."
	notMade       = "Nobody answered in time; the call was not made."
	noAnswer      = "Nobody answered in time."
)

// settle brings the open calls of the last step to results: it makes those that may be made, and
// pauses for those that wait for a person. Without an outcome all have results.
func (s *slice) settle(ctx context.Context) (agent.Outcome, error) {
	if len(s.ledger.open()) == 0 {
		return nil, nil
	}
	ready := s.ready()
	if len(ready) > 0 && s.yielding() {
		step, err := s.take()
		return agent.More{Step: step}, err
	}
	if len(ready) > 0 {
		if err := s.flush(ctx); err != nil {
			return nil, err
		}
		if err := s.makeCalls(ctx, ready); err != nil {
			return nil, err
		}
	}
	if len(s.ready()) > 0 && len(s.raised) == 0 {
		return nil, nil // the slice's time was up before they were made: the loop ends it
	}
	asks, err := s.asks()
	if err != nil || len(s.ledger.open()) == 0 {
		return nil, err
	}
	asks = append(asks, s.raised...)
	step, err := s.take()
	return agent.Paused{Asks: asks, Step: step}, err
}

// ready are the open calls that may go out now.
func (s *slice) ready() (ids []string) {
	for _, id := range s.ledger.open() {
		c := s.ledger.calls[id]
		if c.Server == definition.Builtin {
			continue
		}
		e := s.effect(id)
		resend := e.State == task.EffectSent && e.Class != task.ClassWrite // sent by a lost run
		if (e.State == task.EffectApproved || resend) && s.connected(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// effect is an effect as the record has it, or as it is planned and not written yet.
func (s *slice) effect(id string) task.Effect {
	for _, e := range s.pending.Plan {
		if e.ID == id {
			return e
		}
	}
	e, _ := s.run.Effect(id)
	return e
}

// connected reports whether a call waits for no connection.
func (s *slice) connected(id string) bool {
	needed, ok := s.ledger.tokens[id]
	if !ok {
		return true
	}
	answer, answered := s.answers[needed.ID]
	return answered && answer.Connected()
}

// asks are the interactions that open calls still have to raise. What a person has said already
// becomes a result.
func (s *slice) asks() (all []interaction.Interaction, err error) {
	for _, id := range s.ledger.open() {
		ask, err := s.ask(id, s.ledger.calls[id])
		if err != nil {
			return nil, err
		}
		if ask != nil {
			all = append(all, *ask)
		}
	}
	return all, nil
}

func (s *slice) ask(id string, c call) (*interaction.Interaction, error) {
	before, wasAsked := s.ledger.asked[id]
	if c.Server == definition.Builtin {
		if answer, ok := s.answers[before.ID]; wasAsked && ok {
			return nil, s.settled(id, c.told(answer))
		}
		if wasAsked {
			return nil, nil
		}
		return new(c.question(id)), s.raise(id)
	}
	e := s.effect(id)
	switch {
	case e.State == task.EffectDenied:
		return nil, s.denied(id, e)
	case e.State == task.EffectHeld && !wasAsked:
		return new(interaction.NewApproval(id, c.Server, c.Tool, c.Reason)), s.raise(id)
	case e.State == task.EffectApproved && !s.connected(id):
		return nil, s.declined(id, c)
	}
	return nil, nil
}

func (s *slice) raise(id string) error {
	s.ledger.asked[id] = asked{ID: id}
	return s.keep(askRows+id, asked{ID: id})
}

// denied tells the model of a call that a person did not approve, with their words as theirs
// . The one who would not have it sent again leaves open whether it happened.
func (s *slice) denied(id string, e task.Effect) error {
	answer := s.answers[round(id, e.Round)]
	r := result{Code: codeDenied, Text: notAgain}
	switch {
	case e.Round > 1:
		r = result{Code: codeUnknown, Text: maybeHappened}
	case answer.Expired:
		r = result{Code: codeExpired, Text: notMade}
	}
	if answer.Reason != "" {
		r.Text += fmt.Sprintf(" The person wrote: %q", answer.Reason)
	}
	s.pending.Settle = append(s.pending.Settle, id)
	return s.settled(id, r)
}

// declined settles a call whose connection a person refused.
func (s *slice) declined(id string, c call) error {
	answer, answered := s.answers[s.ledger.tokens[id].ID]
	if !answered || answer.Connected() {
		return nil
	}
	s.pending.Settle = append(s.pending.Settle, id)
	switch {
	case s.unsure(c):
		return s.settled(id, result{Code: codeUnknown, Text: maybeHappened})
	case answer.Expired:
		return s.settled(id, result{Code: codeExpired, Text: notMade})
	}
	return s.settled(id, result{Code: codeConnected, Text: "The person did not connect " + c.Server + "."})
}

// errTampered says that a frozen call is not what was hashed when it was planned.
var errTampered = errors.New("harness: a frozen call has changed")
