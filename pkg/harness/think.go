package harness

import (
	"context"
	"errors"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

const (
	maxFailures = 3                // of model calls in a row
	firstPause  = time.Second      // after the first of them; four times as long after each further
	longestWait = 30 * time.Second // that a model may ask for; beyond it the turn goes on in another slice
)

// think makes the next model call and plans what it wants.
func (s *slice) think(ctx context.Context) (agent.Outcome, error) {
	if len(s.ledger.steps) > 0 { // the first step's write takes the pin along
		if err := s.flush(ctx); err != nil {
			return nil, err
		}
	}
	messages, err := s.transcript()
	if err != nil {
		return nil, err
	}
	p := s.ledger.pin
	m, name, err := s.Models(p.Model)
	if err != nil {
		return failed("The agent cannot run: %v.", err), nil
	}
	names := tool.Names(p.Tools)
	request := model.Request{
		Model: name, System: p.Definition.Instructions, Messages: messages, MaxTokens: p.Definition.Loop.MaxOutputTokens,
	}
	for i, t := range p.Tools {
		request.Tools = append(request.Tools, model.Tool{Name: names[i], Description: t.Description, Schema: t.Schema})
	}
	answer, err := s.stream(ctx, m, request)
	if err != nil {
		return s.failedCall(ctx, err)
	}
	s.ledger.spent.Tokens += answer.Usage.Input + answer.Usage.Output
	switch {
	case answer.Stop == model.StopFiltered:
		return failed("The model's provider held the answer back."), nil
	case answer.Stop == model.StopLength && (answer.Dropped || answer.Message.Text == ""):
		return s.failedCall(ctx, &model.Error{Kind: model.KindCut, Reason: "the answer met its bound before it was said"})
	}
	s.ledger.spent.Failures = 0
	switch loop := p.Definition.Loop; {
	case len(answer.Message.Calls) == 0:
		return s.finish(answer.Message, answer.Stop == model.StopLength)
	case len(s.ledger.steps)+1 >= loop.MaxSteps: // nobody would read what they come to
		return tooManySteps(loop.MaxSteps), nil
	}
	return nil, s.plan(names, answer.Message)
}

// stream makes one attempt, which ends early when the slice is to.
func (s *slice) stream(ctx context.Context, m model.Model, r model.Request) (*model.Response, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		select {
		case <-s.run.Yielding():
			cancel()
		case <-stop:
		}
	}()
	say, done := s.run.Write(finalArtifact)
	defer done()
	return m.Stream(ctx, r, say)
}

// failedCall tries again after a while if it may help, and counts it.
func (s *slice) failedCall(ctx context.Context, err error) (agent.Outcome, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if s.yielding() {
		return nil, nil // the loop ends the slice
	}
	var e *model.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	s.Log.ErrorContext(ctx, "harness: a model call failed", "task", s.run.Task().Key.ID, "error", e)
	switch {
	case e.Kind == model.KindContext:
		return failed("The conversation is too long for the model."), nil
	case !e.Passing():
		return failed("The model refused the request."), nil
	}
	s.ledger.spent.Failures++
	if s.ledger.spent.Failures >= maxFailures {
		return failed("The model could not be reached."), nil
	}
	if err := s.keep(spentRow, s.ledger.spent); err != nil { // so that there is something to write
		return nil, err
	}
	if err := s.flush(ctx); err != nil {
		return nil, err
	}
	return nil, s.pause(ctx, max(firstPause<<(2*(s.ledger.spent.Failures-1)), min(e.RetryAfter, longestWait)))
}

// pause waits, unless the slice is to end.
func (s *slice) pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-s.run.Yielding():
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// finalArtifact is the id of the artifact that holds the turn's answer.
const finalArtifact = "answer"

// finish ends the turn with the model's last words. cut: there were more, which its bound cut off.
func (s *slice) finish(m model.Message, cut bool) (agent.Outcome, error) {
	if err := s.keep(stepRow(len(s.ledger.steps)), step{Message: m}); err != nil {
		return nil, err
	}
	if m.Text != "" {
		s.pending.Events = append(s.pending.Events, agent.Artifact(a2a.Artifact{
			ArtifactID: finalArtifact, Parts: []a2a.Part{{Content: a2a.Text(m.Text)}},
		}))
	}
	out := agent.Completed{}
	if cut {
		out.Message = new(agent.Text("The answer ends early: the model met its bound."))
	}
	var err error
	out.Step, err = s.take()
	return out, err
}
