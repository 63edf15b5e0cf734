package agenttest

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// An outcome's step is compared by what it leaves in the recorder.
var outcomes = cmpopts.IgnoreTypes(task.Step{})

// SRV-01: each statement has its effect, in order, and the last word is the task's.
func TestStatements(t *testing.T) {
	t.Parallel()
	said := agent.StatusText
	for script, tt := range map[string]struct {
		want   agent.Outcome
		events []task.Event
		next   string
	}{
		"":             {agent.Completed{}, nil, ""},
		"say a":        {completed("a"), nil, "1"},
		"say a; say b": {completed("b"), []task.Event{said("a")}, "2"},
		"hello":        {agent.Completed{}, []task.Event{whole("artifact-1", a2a.Text("hello"))}, "1"},
		"say a; hello": {agent.Completed{}, []task.Event{said("a"), whole("artifact-2", a2a.Text("hello"))}, "2"},

		"artifact text a":   {agent.Completed{}, []task.Event{whole("artifact-1", a2a.Text("a"))}, "1"},
		"artifact data [1]": {agent.Completed{}, []task.Event{whole("artifact-1", a2a.Data("[1]"))}, "1"},
		"artifact url x:y":  {agent.Completed{}, []task.Event{whole("artifact-1", a2a.URL("x:y"))}, "1"},
		"artifact raw aGk=": {agent.Completed{}, []task.Event{
			agent.Artifact(a2a.Artifact{ArtifactID: "artifact-1", Parts: []a2a.Part{
				{Content: a2a.Raw("hi"), MediaType: "application/octet-stream"},
			}}),
		}, "1"},

		// the last real piece says that it is the last.
		"piece a":     {agent.Completed{}, []task.Event{piece("a", false, true)}, "1"},
		"piece a b c": {agent.Completed{}, []task.Event{piece("a ", false, false), piece("b ", true, false), piece("c", true, true)}, "1"},

		"message a; say b":        {agent.Message{Message: agent.Text("a")}, nil, ""},
		"say a; fail b; say c":    {agent.Failed{Message: agent.Text("b")}, []task.Event{said("a")}, "1"},
		"reject a; say b":         {agent.Rejected{Message: agent.Text("a")}, nil, ""},
		"say a; sleep 0s; say b;": {completed("b"), []task.Event{said("a")}, "3"},
	} {
		r := newRecorder()
		got := r.mustSlice(t, new(Agent), script, nil)
		if diff := cmp.Diff(tt.want, got, outcomes); diff != "" {
			t.Errorf("%q: outcome (-want +got):\n%s", script, diff)
		}
		if diff := cmp.Diff(tt.events, r.events); diff != "" {
			t.Errorf("%q: events (-want +got):\n%s", script, diff)
		}
		if got := string(r.rows[nextRow]); got != tt.next {
			t.Errorf("%q: got next statement %q, want %q", script, got, tt.next)
		}
	}
}

// A slice that is to end does so after the statement it is in; the next goes on from there.
func TestYieldsBetweenStatements(t *testing.T) {
	t.Parallel()
	r := newRecorder()
	close(r.yielding)
	const script = "say a; say b; say c"
	for i, want := range []agent.Outcome{agent.More{}, agent.More{}, completed("c")} {
		if diff := cmp.Diff(want, r.mustSlice(t, new(Agent), script, nil), outcomes); diff != "" {
			t.Errorf("slice %d: outcome (-want +got):\n%s", i, diff)
		}
	}
	want := []task.Event{agent.StatusText("a"), agent.StatusText("b")}
	if diff := cmp.Diff(want, r.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func completed(text string) agent.Outcome { return agent.Completed{Message: new(agent.Text(text))} }

func whole(id string, c a2a.Content) task.Event {
	return agent.Artifact(a2a.Artifact{ArtifactID: id, Parts: []a2a.Part{{Content: c}}})
}

func piece(text string, more, last bool) task.Event {
	a := a2a.Artifact{ArtifactID: "artifact-1", Parts: []a2a.Part{{Content: a2a.Text(text)}}}
	return agent.Piece(a, more, last)
}
