package agenttest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Agent plays scripts. Its zero value is ready for use.
type Agent struct {
	// Call makes an approved call. nil: calls succeed and reach nobody.
	Call func(ctx context.Context, effectID, server, tool string) error
	// Class of the calls it makes; default [task.ClassWrite].
	Class task.EffectClass
	// Now is the clock of sleeps; default time.Now.
	Now func() time.Time
}

var _ agent.Agent = (*Agent)(nil)

// ErrCrash is what a crash statement ends its slice with.
var ErrCrash = errors.New("agenttest: crash")

// Start plays a script from its beginning.
func (a *Agent) Start(ctx context.Context, r agent.Run, in agent.Input) (agent.Outcome, error) {
	return a.Resume(ctx, r, in, nil)
}

// Resume plays on from the last journaled step.
func (a *Agent) Resume(ctx context.Context, r agent.Run, in agent.Input, answers map[string]interaction.Answer) (agent.Outcome, error) {
	p := play{agent: a, run: r, script: parse(in.Message), answers: answers, rows: map[string]string{}}
	for row, err := range r.Journal(ctx, "") {
		if err != nil {
			return nil, err
		}
		p.rows[row.Name] = string(row.Value)
	}
	next, _ := strconv.Atoi(p.rows[nextRow])
	for p.at = next; p.at < len(p.script); p.at++ {
		out, err := p.play(ctx, p.script[p.at])
		if out != nil || err != nil {
			return out, err
		}
		select {
		case <-r.Yielding():
			return agent.More{}, nil
		default:
		}
	}
	return agent.Completed{}, nil
}

// nextRow names the row that holds the index of the next statement.
const nextRow = "next"

// play is one slice of a script.
type play struct {
	agent   *Agent
	run     agent.Run
	script  []statement
	at      int
	rows    map[string]string // the journal as the slice found it
	answers map[string]interaction.Answer
}

// play plays one statement. Without an outcome the script goes on.
func (p *play) play(ctx context.Context, s statement) (agent.Outcome, error) {
	if s.asks != nil {
		return p.ask(ctx, s.asks)
	}
	switch s.verb {
	case "say":
		return p.said(ctx, s.text)
	case "echo":
		return p.done(ctx, p.artifact(a2a.Part{Content: a2a.Text(s.text)}))
	case "artifact":
		part, err := content(s.text)
		if err != nil {
			return nil, err
		}
		return p.done(ctx, p.artifact(part))
	case "piece":
		return p.pieces(ctx, strings.SplitAfter(s.text, " "))
	case "write":
		return p.write(ctx, s.text)
	case "message":
		return agent.Message{Message: agent.Text(s.text)}, nil
	case "sleep":
		return p.sleep(ctx, s.text)
	case "fail":
		return agent.Failed{Message: agent.Text(s.text)}, nil
	case "reject":
		return agent.Rejected{Message: agent.Text(s.text)}, nil
	case "crash":
		if _, err := p.done(ctx); err != nil {
			return nil, err
		}
		return nil, ErrCrash
	}
	return nil, fmt.Errorf("agenttest: no such statement: %q", s.verb)
}

// next is the row that the statement is done with.
func (p *play) next() task.Row {
	return task.Row{Name: nextRow, Value: []byte(strconv.Itoa(p.at + 1))}
}

// done journals that the statement is done, with its events.
func (p *play) done(ctx context.Context, events ...task.Event) (agent.Outcome, error) {
	return nil, p.run.Step(ctx, task.Step{Rows: []task.Row{p.next()}, Events: events})
}

// said is done with the statement by saying something: in the last one, as the task's last word.
func (p *play) said(ctx context.Context, text string) (agent.Outcome, error) {
	if p.at == len(p.script)-1 {
		step := task.Step{Rows: []task.Row{p.next()}}
		return agent.Completed{Message: new(agent.Text(text)), Step: step}, nil
	}
	return p.done(ctx, agent.StatusText(text))
}

func (p *play) artifactID() string { return "artifact-" + strconv.Itoa(p.at+1) }

func (p *play) artifact(part a2a.Part) task.Event {
	return agent.Artifact(a2a.Artifact{ArtifactID: p.artifactID(), Parts: []a2a.Part{part}})
}

// pieces emits one artifact a word at a time, each journaled.
func (p *play) pieces(ctx context.Context, words []string) (agent.Outcome, error) {
	row := "piece/" + strconv.Itoa(p.at)
	first, _ := strconv.Atoi(p.rows[row])
	for i := first; i < len(words); i++ {
		last := i == len(words)-1
		a := a2a.Artifact{ArtifactID: p.artifactID(), Parts: []a2a.Part{{Content: a2a.Text(words[i])}}}
		step := task.Step{
			Rows:   []task.Row{{Name: row, Value: []byte(strconv.Itoa(i + 1))}},
			Events: []task.Event{agent.Piece(a, i > 0, last)},
		}
		if err := p.run.Step(ctx, step); err != nil {
			return nil, err
		}
	}
	return p.done(ctx)
}

// wordPause is how long it takes to write a word.
const wordPause = 40 * time.Millisecond

// write writes one artifact while who follows the task looks on.
func (p *play) write(ctx context.Context, text string) (agent.Outcome, error) {
	say, done := p.run.Write(p.artifactID())
	defer done()
	t := time.NewTicker(wordPause)
	defer t.Stop()
	for _, word := range strings.SplitAfter(text, " ") {
		say(word)
		select {
		case <-t.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	done()
	return p.done(ctx, p.artifact(a2a.Part{Content: a2a.Text(text)}))
}

// sleep works until a time that the first slice journals, over as many slices as it takes.
func (p *play) sleep(ctx context.Context, text string) (agent.Outcome, error) {
	now := time.Now
	if p.agent.Now != nil {
		now = p.agent.Now
	}
	row := "sleep/" + strconv.Itoa(p.at)
	until, err := time.Parse(time.RFC3339Nano, p.rows[row])
	if err != nil {
		d, _ := time.ParseDuration(text) // parse has seen to it
		until = now().UTC().Add(d)
		step := task.Step{Rows: []task.Row{{Name: row, Value: []byte(until.Format(time.RFC3339Nano))}}}
		if err := p.run.Step(ctx, step); err != nil {
			return nil, err
		}
	}
	t := time.NewTimer(until.Sub(now()))
	defer t.Stop()
	select {
	case <-t.C:
		return p.done(ctx)
	case <-p.run.Yielding():
		return agent.More{}, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
