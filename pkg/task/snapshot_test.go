package task_test

import (
	"runtime"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// heard is what a task's history says, message by message.
func heard(t a2a.Task) []string {
	var all []string
	for _, m := range t.History {
		who := "user: "
		if m.Role == a2a.RoleAgent {
			who = "agent: "
		}
		all = append(all, who+string(m.Parts[0].Content.(a2a.Text)))
	}
	return all
}

// SRV-27, R-64: every message of both sides, in the order of a conversation.
func TestSnapshot_History(t *testing.T) {
	t.Parallel()
	tell := func(words string) task.Event {
		return task.Event{Status: &a2a.TaskStatus{Message: agentText(words)}}
	}
	s := working(t).step(task.Step{Events: []task.Event{
		tell("I begin."), {Message: agentText("A note.")}, tell("I go on."),
	}})
	begun := []string{"user: Do it.", "agent: A note.", "agent: I begin."}
	wantHeard(t, s, "I go on.", begun...)

	begun = append(begun, "agent: I go on.")
	wantHeard(t, s.pause(question("q")), "Which one?", begun...)

	begun = append(begun, "agent: Which one?", "user: This one.")
	wantHeard(t, s.answer(text("m", "This one.")), "", begun...)

	c, err := task.Finish(s.claim().rec, task.Ending{State: a2a.TaskStateCompleted, Message: agentText("Done.")}, task.Step{}, nil, s.write())
	wantHeard(t, s.took(c, err), "Done.", begun...)
}

// wantHeard checks the status message and the history.
func wantHeard(t *testing.T, s *story, status string, history ...string) {
	t.Helper()
	got := task.Snapshot(s.rec, s.events)
	if d := diff(s.rec.Status, got.Status); d != "" || got.ID != s.rec.ID || got.ContextID != s.rec.ContextID {
		t.Errorf("got task %s of %s with status (-want +got):\n%s", got.ID, got.ContextID, d)
	}
	var words string
	if m := got.Status.Message; m != nil {
		words = string(m.Parts[0].Content.(a2a.Text))
	}
	if words != status {
		t.Errorf("got the status message %q, want %q", words, status)
	}
	if d := diff(history, heard(got)); d != "" {
		t.Errorf("in state %s, the history (-want +got):\n%s", got.Status.State, d)
	}
}

// Artifacts are put together from their pieces, in the order they began.
func TestSnapshot_Artifacts(t *testing.T) {
	t.Parallel()
	piece := func(id, words string, more bool) task.Event {
		return task.Event{Artifact: &task.Piece{Artifact: a2a.Artifact{ArtifactID: id, Parts: agentText(words).Parts}, Append: more}}
	}
	tests := map[string]struct {
		events []task.Event
		want   []a2a.Artifact
	}{
		"none":             {nil, nil},
		"two":              {[]task.Event{piece("a", "1", false), piece("b", "2", false)}, []a2a.Artifact{made("a", "1"), made("b", "2")}},
		"in pieces":        {[]task.Event{piece("a", "1", false), piece("b", "2", false), piece("a", "3", true)}, []a2a.Artifact{made("a", "1", "3"), made("b", "2")}},
		"replaced":         {[]task.Event{piece("a", "1", false), piece("b", "2", false), piece("a", "3", false)}, []a2a.Artifact{made("a", "3"), made("b", "2")}},
		"more of none":     {[]task.Event{piece("a", "1", true), piece("a", "2", true)}, []a2a.Artifact{made("a", "1", "2")}},
		"replaced in part": {[]task.Event{piece("a", "1", false), piece("a", "2", false), piece("a", "3", true)}, []a2a.Artifact{made("a", "2", "3")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := working(t).step(task.Step{Events: test.events})
			for range 2 { // putting together changes no event
				if d := diff(test.want, task.Snapshot(s.rec, s.events).Artifacts); d != "" {
					t.Errorf("(-want +got):\n%s", d)
				}
			}
		})
	}
}

// Twice the pieces take about twice the room to be put together, not four times.
func TestSnapshot_Grows(t *testing.T) { // not parallel: it counts what is allocated
	room := func(pieces int) uint64 {
		var events []task.Event
		for i := range pieces {
			events = append(events, task.Event{Artifact: &task.Piece{
				Artifact: a2a.Artifact{ArtifactID: "a", Parts: agentText("more").Parts}, Append: i > 0,
			}})
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		task.Snapshot(&task.Record{}, events)
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if less, more := room(4096), room(8192); more > 3*less {
		t.Errorf("4096 pieces take %d bytes, 8192 take %d", less, more)
	}
}

// made is an artifact of so many words.
func made(id string, words ...string) a2a.Artifact {
	a := a2a.Artifact{ArtifactID: id}
	for _, w := range words {
		a.Parts = append(a.Parts, a2a.Part{Content: a2a.Text(w)})
	}
	return a
}

// A piece is appended to a copy, even where the first piece's parts have room behind them.
func TestSnapshot_SharesNothing(t *testing.T) {
	t.Parallel()
	roomy := append(make([]a2a.Part, 0, 4), agentText("1").Parts...)
	events := []task.Event{
		{Artifact: &task.Piece{Artifact: a2a.Artifact{ArtifactID: "a", Parts: roomy}}},
		{Artifact: &task.Piece{Artifact: made("a", "2"), Append: true}},
	}
	task.Snapshot(&task.Record{}, events)
	if got := roomy[:2][1].Content; got != nil {
		t.Errorf("the event's own parts now hold %v behind their end", got)
	}
}
