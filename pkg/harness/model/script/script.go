// Package script is a model that plays a script, so that an agent can be tried without a key and
// tested without chance.
//
// A script is a list of scenes. A scene has a condition on what the person asked first, and steps:
// what the model answers first, second and so on. Which step is next follows from the messages
// alone, so any process can go on where another one stopped.
package script

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// Scene is what the model answers to one request.
type Scene struct {
	When  string `yaml:"when"` // words that the request has, in any case; empty: any
	Steps []Step `yaml:"steps"`
}

// Step is one answer: text, calls, or both; or a fault before it.
type Step struct {
	Say   string `yaml:"say"` // {result} stands for the text of the last result, {request} for the request
	Calls []Call `yaml:"calls"`
	Fault string `yaml:"fault"` // busy, cut, context, refused or length
}

// Call is a call that a step wants.
type Call struct {
	Tool      string         `yaml:"tool"` // by the name that models know it by
	Arguments map[string]any `yaml:"arguments"`
}

// Model plays scenes. It is safe for concurrent use.
type Model struct {
	scenes []Scene
	// Pause is how long it takes over each word; zero: no time.
	Pause time.Duration
}

var _ model.Model = (*Model)(nil)

// New is the model of some scenes, the first of which that fits a request is played.
func New(scenes ...Scene) *Model { return &Model{scenes: scenes} }

// Stream implements [model.Model].
func (m *Model) Stream(ctx context.Context, r model.Request, text func(string)) (*model.Response, error) {
	request, at := position(r.Messages)
	if len(r.Messages) == 0 {
		return nil, &model.Error{Kind: model.KindRefused, Reason: "there is no request"}
	}
	scene, ok := m.scene(r.Messages[request].Text)
	if !ok {
		return nil, &model.Error{Kind: model.KindRefused, Reason: "the script has no scene for this request"}
	}
	if at >= len(scene.Steps) {
		return nil, &model.Error{Kind: model.KindRefused, Reason: fmt.Sprintf("the scene has %d steps, and was asked for one more", len(scene.Steps))}
	}
	step := scene.Steps[at]
	if err := fault(step.Fault); err != nil {
		return nil, err
	}
	said := expand(step.Say, r.Messages[request].Text, r.Messages)
	if err := m.say(ctx, said, text); err != nil {
		return nil, err
	}
	answer := model.Message{Role: model.RoleAssistant, Text: said, From: "script"}
	if step.Fault == "length" {
		return &model.Response{Message: answer, Stop: model.StopLength, Dropped: len(step.Calls) > 0}, nil
	}
	for i, c := range step.Calls {
		arguments, err := json.Marshal(c.Arguments)
		if err != nil || c.Arguments == nil {
			arguments = json.RawMessage("{}")
		}
		answer.Calls = append(answer.Calls, model.Call{ID: fmt.Sprintf("call_%d_%d", at, i), Name: c.Tool, Arguments: arguments})
	}
	stop := model.StopEnd
	if len(answer.Calls) > 0 {
		stop = model.StopCalls
	}
	return &model.Response{Message: answer, Stop: stop, Usage: usage(r, said)}, nil
}

// position is where the last request stands, and how many answers followed it.
func position(messages []model.Message) (request, answers int) {
	for i, m := range messages {
		switch m.Role {
		case model.RoleUser:
			request, answers = i, 0
		case model.RoleAssistant:
			answers++
		}
	}
	return request, answers
}

func (m *Model) scene(request string) (Scene, bool) {
	for _, s := range m.scenes {
		if strings.Contains(strings.ToLower(request), strings.ToLower(s.When)) {
			return s, true
		}
	}
	return Scene{}, false
}

// say streams a text a word at a time.
func (m *Model) say(ctx context.Context, said string, text func(string)) error {
	for _, word := range strings.SplitAfter(said, " ") {
		if m.Pause > 0 {
			t := time.NewTimer(m.Pause)
			select {
			case <-t.C:
			case <-ctx.Done():
				t.Stop()
			}
		}
		if ctx.Err() != nil {
			return &model.Error{Kind: model.KindCut, Reason: "the call was given up"}
		}
		if word != "" {
			text(word)
		}
	}
	return nil
}

func expand(say, request string, messages []model.Message) string {
	result := ""
	if last := messages[len(messages)-1]; len(last.Results) > 0 {
		result = last.Results[len(last.Results)-1].Text
	}
	return strings.NewReplacer("{request}", request, "{result}", result).Replace(say)
}

// usage counts words, so that budgets can be tried.
func usage(r model.Request, said string) model.Usage {
	u := model.Usage{Output: len(strings.Fields(said)) + 1}
	for _, m := range r.Messages {
		u.Input += len(strings.Fields(m.Text)) + 1
	}
	return u
}

func fault(name string) error {
	switch name {
	case "busy":
		return &model.Error{Kind: model.KindBusy, Status: 429, RetryAfter: time.Second, Reason: "the script says so"}
	case "cut":
		return &model.Error{Kind: model.KindCut, Reason: "the script says so"}
	case "context":
		return &model.Error{Kind: model.KindContext, Status: 400, Reason: "the script says so"}
	case "refused":
		return &model.Error{Kind: model.KindRefused, Status: 400, Reason: "the script says so"}
	}
	return nil
}
