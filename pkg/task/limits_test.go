package task_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// size is how many bytes v takes as JSON.
func size(t *testing.T, v any) int {
	t.Helper()
	b, err := a2a.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return len(b)
}

// what an agent writes may be as big as the limit, and not a byte bigger.
func TestLimits(t *testing.T) {
	t.Parallel()
	message := func(words string) *a2a.Message {
		m := agentText(words)
		m.MessageID = "m"
		return m
	}
	ask := func(words string) interaction.Interaction { return interaction.NewQuestion("q", words) }
	artifact := func(words string) a2a.Artifact {
		return a2a.Artifact{ArtifactID: "a", Parts: message(words).Parts}
	}
	advance := func(e task.Event) (*task.Change, error) {
		s := working(t)
		return task.Advance(s.rec, task.Step{Events: []task.Event{e}}, s.write())
	}
	kept := func(m *a2a.Message) *a2a.Message { m.TaskID, m.ContextID = "t1.story", "ctx"; return m }
	many := func(words string) (all []interaction.Interaction) {
		for n := range 16 { // shares the words out
			each := words[len(words)*n/16 : len(words)*(n+1)/16]
			all = append(all, interaction.NewQuestion(fmt.Sprintf("q-%02d", n), each))
		}
		return all
	}
	tests := map[string]struct {
		limit int
		empty int // size without any words
		write func(words string) (*task.Change, error)
	}{
		"message": {1 << 20, size(t, kept(message(""))), func(words string) (*task.Change, error) {
			return advance(task.Event{Message: message(words)})
		}},
		"artifact piece": {1 << 20, size(t, artifact("")), func(words string) (*task.Change, error) {
			return advance(task.Event{Artifact: &task.Piece{Artifact: artifact(words), Append: true}})
		}},
		"status message": {64 << 10, size(t, kept(message(""))), func(words string) (*task.Change, error) {
			return advance(task.Event{Status: &a2a.TaskStatus{Message: message(words)}})
		}},
		"last status message": {64 << 10, size(t, kept(message(""))), func(words string) (*task.Change, error) {
			s := working(t)
			return task.Finish(s.rec, task.Ending{State: a2a.TaskStateCompleted, Message: message(words)}, task.Step{}, nil, s.write())
		}},
		"interaction": {16 << 10, size(t, ask("")), func(words string) (*task.Change, error) {
			s := working(t)
			return task.Pause(s.rec, asks(ask(words)), task.Step{}, s.write())
		}},
		"interactions": {192 << 10, size(t, many("")), func(words string) (*task.Change, error) {
			s := working(t)
			return task.Pause(s.rec, many(words), task.Step{}, s.write())
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			most := strings.Repeat("x", test.limit-test.empty)
			if _, err := test.write(most); err != nil {
				t.Errorf("at the limit: got %v, want success", err)
			}
			c, err := test.write(most + "x")
			wantAgentError(t, c, err)
			var e *task.AgentError
			if errors.As(err, &e) && !strings.Contains(e.Reason, "limit") {
				t.Errorf("got the reason %q, want the limit named", e.Reason)
			}
		})
	}
}

// What nobody could read again would make its task unreadable, and every list it is in.
func TestUnreadable(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]string{
		"too deep":         strings.Repeat("[", a2a.MaxDepth) + strings.Repeat("]", a2a.MaxDepth),
		"a name twice":     `{"a":1,"a":2}`,
		"half a surrogate": `"\ud800"`,
		"not UTF-8":        "\"\xff\"",
		"not JSON":         `{`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := working(t)
			artifact := a2a.Artifact{ArtifactID: "a", Parts: []a2a.Part{{Content: a2a.Data(data)}}}
			c, err := task.Advance(s.rec, task.Step{Events: []task.Event{{Artifact: &task.Piece{Artifact: artifact}}}}, s.write())
			wantAgentError(t, c, err)
		})
	}
}
