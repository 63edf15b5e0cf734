package harness

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/policy"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// slice is one slice of a turn.
type slice struct {
	Options
	run     agent.Run
	in      agent.Input
	answers map[string]interaction.Answer
	ledger  *ledger
	policy  policy.Policy
	began   time.Time

	mu      sync.Mutex                // guards the ledger and what follows, while calls run side by side
	pending task.Step                 // what is decided and not written yet
	raised  []interaction.Interaction // asked for with the next pause
	servers map[string]tool.Server
	schemas schemas // of tools that calls were planned of
}

// turn goes on from where the ledger ends: results for open calls, then the next model call, until
// the model has nothing more to call, a person is waited for, or the slice's time is up.
func (s *slice) turn(ctx context.Context) (agent.Outcome, error) {
	for {
		if out, err := s.settle(ctx); out != nil || err != nil {
			return out, err
		}
		if out, err := s.bounded(); out != nil || err != nil {
			return out, err
		}
		if out, err := s.think(ctx); out != nil || err != nil {
			return out, err
		}
	}
}

// bounded ends a slice whose time is up, and a turn that has used what it may.
func (s *slice) bounded() (agent.Outcome, error) {
	loop := s.ledger.pin.Definition.Loop
	switch {
	case len(s.ledger.steps) >= loop.MaxSteps:
		return tooManySteps(loop.MaxSteps), nil
	case s.worked() > loop.TurnTimeout:
		return failed("The agent did not finish within %v of work.", loop.TurnTimeout), nil
	case loop.MaxTokens > 0 && s.ledger.spent.Tokens >= loop.MaxTokens:
		return failed("The agent used its budget of %d tokens.", loop.MaxTokens), nil
	}
	if s.yielding() {
		step, err := s.take()
		return agent.More{Step: step}, err
	}
	return nil, nil
}

func (s *slice) yielding() bool {
	select {
	case <-s.run.Yielding():
		return true
	default:
		return false
	}
}

func tooManySteps(most int) agent.Outcome {
	return failed("The agent did not finish within %d steps.", most)
}

func failed(format string, args ...any) agent.Outcome {
	return agent.Failed{Message: agent.Text(fmt.Sprintf(format, args...))}
}

// worked is how long the turn has worked, waits for people not counted.
func (s *slice) worked() time.Duration { return s.ledger.spent.Worked + s.Now().Sub(s.began) }

// take is what is decided and not written yet, for the next write, with what the turn has used.
func (s *slice) take() (task.Step, error) {
	used := s.ledger.spent
	used.Worked = s.worked()
	r, err := row(spentRow, used)
	step := s.pending
	step.Rows = append(step.Rows, r)
	step.Patience = s.ledger.pin.Definition.Loop.ApprovalTTL
	s.pending = task.Step{}
	return step, err
}

// flush writes what is decided, if anything is.
func (s *slice) flush(ctx context.Context) error {
	if p := s.pending; len(p.Rows)+len(p.Plan)+len(p.Settle)+len(p.Release) == 0 {
		return nil
	}
	step, err := s.take()
	if err != nil {
		return err
	}
	return s.run.Step(ctx, step)
}

// keep adds a row to what is decided.
func (s *slice) keep(name string, v any) error {
	r, err := row(name, v)
	s.pending.Rows = append(s.pending.Rows, r)
	return err
}

// errPairing says that a model was about to be shown calls without their results: a fault of this
// package, never to be mended by leaving something out.
var errPairing = errors.New("harness: calls and results don't pair")

// transcript is what the model is shown: the conversation, then each step with its results.
func (s *slice) transcript() ([]model.Message, error) {
	var all []model.Message
	for i, m := range s.in.Messages {
		role := model.RoleUser
		if m.Role == a2a.RoleAgent {
			role = model.RoleAssistant
		}
		text := textOf(m)
		if i == len(s.in.Messages)-1 {
			text = cmp.Or(text, noText)
		}
		if text != "" {
			all = append(all, model.Message{Role: role, Text: text})
		}
	}
	for _, st := range s.ledger.steps {
		all = append(all, st.Message)
		if len(st.Calls) == 0 {
			continue
		}
		if len(st.Calls) != len(st.Message.Calls) {
			return nil, errPairing
		}
		results := model.Message{Role: model.RoleTool}
		for i, id := range st.Calls {
			res, ok := s.ledger.results[id]
			if !ok || s.ledger.calls[id].CallID != st.Message.Calls[i].ID {
				return nil, errPairing
			}
			results.Results = append(results.Results, model.Result{CallID: st.Message.Calls[i].ID, Text: res.Text, Error: res.Error})
		}
		all = append(all, results)
	}
	return all, nil
}

// noText stands for a request without any: endpoints take no message that is empty.
const noText = "[a message without text]"

// textOf is a message as a model reads it.
func textOf(m a2a.Message) string {
	var text string
	for _, p := range m.Parts {
		switch c := p.Content.(type) {
		case a2a.Text:
			text += string(c) + "\n"
		case a2a.Data:
			text += string(c) + "\n"
		case a2a.URL:
			text += "[file: " + string(c) + "]\n"
		case a2a.Raw:
			text += fmt.Sprintf("[file %s of %d bytes, %s]\n", p.Filename, len(c), p.MediaType)
		}
	}
	if text == "" {
		return ""
	}
	return text[:len(text)-1]
}
