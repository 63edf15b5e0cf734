package agenttest

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Kit is the agent that the protocol's conformance kit (a2a-tck) tests servers with: what it does
// follows from the beginning of a message's id. Nothing but this file knows the kit.
type Kit struct{}

var _ agent.Agent = Kit{}

// KitCard tells of it.
var KitCard = a2a.AgentCard{
	Name: "conformance", Description: "Plays the scenarios of the A2A conformance kit.", Version: "1.0.0",
	DefaultInputModes: []string{"*/*"}, DefaultOutputModes: []string{"text/plain", "application/json"},
	Skills: []a2a.AgentSkill{{ID: "tck", Name: "Conformance", Description: "Plays the kit's scenarios.", Tags: []string{"tck"}}},
}

// scene is what a message of the kit makes of its task.
type scene struct {
	prefix string
	wait   time.Duration
	events []task.Event
	end    agent.Outcome
}

const (
	hello   = "Hello from TCK"
	needsIt = "tck-input-required" // asks, again and again, until another message answers
	timeout = 2 * time.Second      // the kit's own for streams
)

// file is what the kit's file parts say of themselves.
func file(content a2a.Content) a2a.Part {
	return a2a.Part{Content: content, Filename: "output.txt", MediaType: "text/plain"}
}

func kitArtifact(p a2a.Part) task.Event {
	return agent.Artifact(a2a.Artifact{ArtifactID: "artifact", Parts: []a2a.Part{p}})
}

func kitText(s string) a2a.Part { return a2a.Part{Content: a2a.Text(s)} }

func chunk(s string, last bool) task.Event {
	return agent.Piece(a2a.Artifact{ArtifactID: "artifact", Parts: []a2a.Part{kitText(s)}}, last, last)
}

// scenes are the kit's; a message whose id begins with none of these completes its task.
var scenes = []scene{
	{prefix: "tck-artifact-text", events: []task.Event{kitArtifact(kitText("Generated text content"))}},
	{prefix: "tck-artifact-file-url", events: []task.Event{kitArtifact(file(a2a.URL("https://example.com/output.txt")))}},
	{prefix: "tck-artifact-file", events: []task.Event{kitArtifact(file(a2a.Raw("tck")))}},
	{prefix: "tck-artifact-data", events: []task.Event{kitArtifact(a2a.Part{Content: a2a.Data(`{"key":"value","count":42}`)})}},
	{prefix: "tck-message-response", end: agent.Message{Message: agent.Text("Direct message response")}},
	{prefix: "tck-reject-task", end: agent.Rejected{Message: agent.Text("rejected")}},
	{prefix: "tck-stream-001", events: []task.Event{kitArtifact(kitText("Stream hello from TCK"))}},
	{prefix: "tck-stream-003", events: []task.Event{kitArtifact(kitText("Stream task lifecycle"))}},
	{prefix: "tck-stream-ordering-001", events: []task.Event{kitArtifact(kitText("Ordered output"))}},
	{prefix: "tck-stream-artifact-text", events: []task.Event{kitArtifact(kitText("Streamed text content"))}},
	{prefix: "tck-stream-artifact-file", events: []task.Event{kitArtifact(file(a2a.Raw("tck")))}},
	{prefix: "tck-stream-artifact-chunked", events: []task.Event{chunk("chunk-1 ", false), chunk("chunk-2", true)}},
	{prefix: "test-resubscribe-message-id", wait: 2 * timeout},
	{prefix: "tck-delayed-complete", wait: timeout, end: completedWith("Done after delay")},
	{prefix: "tck-complete-task", end: completedWith(hello)},
}

func completedWith(words string) agent.Completed {
	return agent.Completed{Message: new(agent.Text(words))}
}

// sceneOf is the scene of the longest prefix.
func sceneOf(messageID string) (found scene) {
	for _, s := range scenes {
		if strings.HasPrefix(messageID, s.prefix) && len(s.prefix) > len(found.prefix) {
			found = s
		}
	}
	if found.end == nil {
		found.end = completedWith(hello)
	}
	return found
}

// Start implements [agent.Agent].
func (Kit) Start(ctx context.Context, r agent.Run, in agent.Input) (agent.Outcome, error) {
	if strings.HasPrefix(in.Message.MessageID, needsIt) {
		return needsInput(r, 0), nil
	}
	s := sceneOf(in.Message.MessageID)
	if s.wait > 0 {
		t := time.NewTimer(s.wait)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if len(s.events) > 0 {
		// With a row, so that a slice that is lost here is not played again.
		if err := r.Step(ctx, task.Step{Events: s.events, Rows: []task.Row{{Name: "played"}}}); err != nil {
			return nil, err
		}
	}
	return s.end, nil
}

// Resume implements [agent.Agent].
func (k Kit) Resume(ctx context.Context, r agent.Run, in agent.Input, answers map[string]interaction.Answer) (agent.Outcome, error) {
	for n := range len(answers) + 1 {
		a, ok := answers[r.EffectID(0, n)]
		switch {
		case !ok && strings.HasPrefix(in.Message.MessageID, needsIt):
			return needsInput(r, n), nil
		case ok && !strings.HasPrefix(a.MessageID, needsIt):
			return completedWith(hello), nil
		}
	}
	if strings.HasPrefix(in.Message.MessageID, needsIt) {
		return nil, errors.New("agenttest: more answers than questions")
	}
	return sceneOf(in.Message.MessageID).end, nil // played, and lost before its end
}

func needsInput(r agent.Run, n int) agent.Outcome {
	return agent.Paused{Asks: []interaction.Interaction{interaction.NewQuestion(r.EffectID(0, n), "What is the input?")}}
}
