package crash

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// loops are worlds whose agent is the real loop: several calls at once, some held and some not, a
// question, and a call that is denied; for each class of calls.
func loops() (all []scenario) {
	for _, class := range []task.EffectClass{task.ClassWrite, task.ClassIdempotent, task.ClassRead} {
		all = append(all, scenario{
			name:    "loop-" + string(class),
			script:  "Ship it.",
			class:   class,
			approve: map[string]bool{"make": true, "move": true, "wipe": false},
			resend:  true,
			loop: []string{
				"hub__free hub__make hub__free hub__move",
				"builtin__ask_user",
				"hub__wipe hub__free",
			},
		})
	}
	for _, s := range all[:3] {
		all = append(all, s.as("twice"), s.as("expiring"), s.as("contended"))
	}
	return all
}

// as is a loop in which something else happens too: everything comes twice; approvals expire
// unanswered, are answered for just before they do, or just behind it; two tasks of one context end
// at the same time.
func (s scenario) as(name string) scenario {
	s.name += "-" + name
	switch name {
	case "twice":
		s.twice = true
	case "expiring":
		s.front, s.approve = "loop: { approvalTtl: 10m }", map[string]bool{"move": true, "wipe": true}
		s.silent = map[string]bool{"make": true, "ask_user": true}
		s.late = map[string]time.Duration{"move": time.Second, "wipe": 0}
	case "contended":
		s.contended = true
	}
	return s
}

// loopTools may be used: free by the definition, the others if a person says so.
var loopTools = []string{"free", "make", "move", "wipe"}

// newLoop is the agent of a process in such a world.
func newLoop(w *world, p *process) agent.Agent {
	a, err := harness.New(harness.Options{
		Definition: shipper(w.scenario.class, w.scenario.front), Log: quiet,
		Models: func(string) (model.Model, string, error) { return loopModel{w.scenario.loop}, "m", nil },
		Connect: func(string, definition.Server, access.Principal, time.Time) (tool.Server, error) {
			return loopServer{w, p}, nil
		},
	})
	if err != nil {
		panic(err)
	}
	return a
}

// shipper is the definition of the loop's agent.
func shipper(class task.EffectClass, front string) *definition.Definition {
	d, err := definition.Parse([]byte(fmt.Sprintf(`---
name: shipper
description: ships
mcpServers: { hub: { url: "https://hub.example" } }
permissions: { allow: ["hub/free"] }
effects: { "hub/*": { class: %s } }
%s
---
Ship.`, class, front)))
	if err != nil {
		panic(err)
	}
	return d
}

// loopModel plays its steps; it is the same model whichever process asks.
type loopModel struct{ steps []string }

func (m loopModel) Stream(ctx context.Context, r model.Request, _ func(string)) (*model.Response, error) {
	select {
	case <-time.After(time.Second):
	case <-ctx.Done():
		return nil, &model.Error{Kind: model.KindCut}
	}
	n := 0
	for i, msg := range r.Messages {
		if msg.Role != model.RoleAssistant || len(msg.Calls) == 0 {
			continue // an earlier task's last word
		}
		if n++; len(r.Messages[i+1].Results) != len(msg.Calls) {
			panic("a model was shown calls without results")
		}
	}
	if n == len(m.steps) {
		return &model.Response{Message: model.Message{Role: model.RoleAssistant, Text: "Shipped."}}, nil
	}
	answer := model.Message{Role: model.RoleAssistant}
	for i, name := range strings.Fields(m.steps[n]) {
		arguments := fmt.Sprintf(`{"n":%d}`, 10*n+i)
		if strings.HasPrefix(name, definition.Builtin) {
			arguments = `{"question":"Which?"}`
		}
		answer.Calls = append(answer.Calls, model.Call{ID: fmt.Sprint("c", i), Name: name, Arguments: json.RawMessage(arguments)})
	}
	return &model.Response{Message: answer}, nil
}

// loopServer is the tool server as one process reaches it. It counts what goes out.
type loopServer struct {
	w *world
	p *process
}

func (s loopServer) List(context.Context) (all []tool.Tool, err error) {
	for _, name := range loopTools {
		all = append(all, tool.Tool{Server: "hub", Name: name, Schema: json.RawMessage(`{"type":"object"}`)})
	}
	return all, nil
}

func (s loopServer) Call(ctx context.Context, c tool.Call) tool.Outcome {
	if err := s.w.sent.call(ctx, s.w, s.p, c.EffectID); err != nil {
		return tool.Unknown{Reason: "the connection broke"}
	}
	return tool.Answered{Text: "done"}
}

// free are the calls that the definition allows without asking anybody: one consent each.
func (w *world) free(ctx context.Context, k task.Key, fault func(string, ...any)) (ids []string) {
	for row, err := range w.inner.Journal(ctx, k, task.AgentRows+"call/") {
		var c struct{ ID, Tool string }
		if err != nil || json.Unmarshal(row.Value, &c) != nil {
			fault("call row %s: %v", row.Name, err)
		}
		if c.Tool == "free" {
			ids = append(ids, c.ID)
		}
	}
	return ids
}
