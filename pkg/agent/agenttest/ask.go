package agenttest

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// ask raises a statement's asks together, then sees to each answer as it comes.
func (p *play) ask(ctx context.Context, asks []ask) (agent.Outcome, error) {
	row := "asked/" + strconv.Itoa(p.at)
	if _, asked := p.rows[row]; !asked {
		return p.raise(asks, row), nil
	}
	var said []string
	waiting := false
	for i, a := range asks {
		text, err := p.settle(ctx, a, i)
		if err != nil {
			return nil, err
		}
		waiting = waiting || text == ""
		said = append(said, text)
	}
	if waiting {
		return agent.Paused{}, nil
	}
	return p.said(ctx, strings.Join(said, "\n"))
}

// raise pauses the run on all asks.
func (p *play) raise(asks []ask, row string) agent.Outcome {
	out := agent.Paused{Step: task.Step{Rows: []task.Row{{Name: row}}}}
	for i, a := range asks {
		id := p.run.EffectID(p.at, i)
		switch a.verb {
		case "approve":
			class := p.agent.Class
			if class == "" {
				class = task.ClassWrite
			}
			out.Step.Plan = append(out.Step.Plan, task.Effect{
				ID: id, Class: class, State: task.EffectHeld, Server: a.server, Tool: a.tool,
			})
			out.Step.Rows = append(out.Step.Rows, frozen(id, a))
			out.Asks = append(out.Asks, interaction.NewApproval(id, a.server, a.tool, a.text))
		case "ask":
			out.Asks = append(out.Asks, interaction.NewQuestion(id, a.text))
		case "connect":
			out.Asks = append(out.Asks, interaction.NewConnection(id, a.app, a.text))
		}
	}
	return out
}

// frozen is the row that shows a held call, which has no arguments.
func frozen(id string, a ask) task.Row {
	const none = "{}"
	hash := agent.CallHash(a.server, a.tool, []byte(none))
	call, _ := json.Marshal(agent.Call{Server: a.server, Tool: a.tool, Arguments: []byte(none), Hash: hash, Reason: a.text}) // texts alone
	return task.Row{Name: agent.CallRows + id, Value: call}
}

// settle sees to one ask. It returns what there is to say of its answer, or nothing while it
// waits.
func (p *play) settle(ctx context.Context, a ask, i int) (said string, err error) {
	id := p.run.EffectID(p.at, i)
	if text, ok := p.rows["outcome/"+id]; ok {
		return text, nil
	}
	if a.verb == "approve" {
		return p.settleCall(ctx, a, id)
	}
	answer, ok := p.answers[id]
	switch {
	case !ok:
		return "", nil
	case a.verb == "ask":
		return "Answered: " + string(answer.Value), nil
	case answer.Connected():
		return "Connected: " + a.app, nil
	}
	return "Not connected: " + a.app, nil
}

// settleCall makes an approved call, once, and journals its outcome.
func (p *play) settleCall(ctx context.Context, a ask, id string) (said string, err error) {
	effect, _ := p.run.Effect(id)
	name := a.server + "/" + a.tool
	switch effect.State {
	case task.EffectHeld, task.EffectUnknown:
		return "", nil
	case task.EffectDenied:
		said = "tool.denied: " + name
		if reason := p.denial(id, effect.Round); reason != "" {
			said += " (" + reason + ")"
		}
	default:
		if said, err = p.call(ctx, a, id); err != nil {
			return "", err
		}
	}
	return said, p.run.Step(ctx, task.Step{
		Rows:   []task.Row{{Name: "outcome/" + id, Value: []byte(said)}},
		Settle: []string{id},
	})
}

func (p *play) call(ctx context.Context, a ask, id string) (said string, err error) {
	callCtx, done, err := p.run.Intent(ctx, id)
	if err != nil {
		return "", err
	}
	defer done()
	if p.agent.Call != nil {
		if err := p.agent.Call(callCtx, id, a.server, a.tool); err != nil {
			return "", fmt.Errorf("agenttest: call %s/%s: %w", a.server, a.tool, err)
		}
	}
	return "Called " + a.server + "/" + a.tool, nil
}

// denial is what the person said who denied a call, in the last round it was asked about.
func (p *play) denial(id string, round int) string {
	if round > 1 {
		id += "." + strconv.Itoa(round)
	}
	return p.answers[id].Reason
}
