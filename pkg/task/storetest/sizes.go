package storetest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// What the limits allow is kept.
func sizes(t testing.TB, h Harness) {
	const spare = 4 << 10 // for what is around the text
	big := strings.Repeat("interlude ", (task.MaxPiece-spare)/10)
	l := accept(t, h.Store, start, task.Acceptance{
		Key: task.Key{Scope: alice, ID: "t1"}, ContextID: "ctx", Message: text("m-1", big),
	})
	l.create().claim()
	artifact := func(id string, more bool) task.Event {
		return task.Event{Artifact: &task.Piece{Append: more, Artifact: a2a.Artifact{
			ArtifactID: id, Parts: []a2a.Part{{Content: a2a.Raw(big[:len(big)*3/4])}},
		}}}
	}
	l.step(task.Step{Events: []task.Event{artifact("a", false), artifact("a", true)}})
	l.step(task.Step{Events: []task.Event{said(big)}, Rows: []task.Row{{Name: "state", Value: []byte(big)}}})
	var asks []interaction.Interaction
	for n := range task.MaxPending/task.MaxInteraction - 1 {
		asks = append(asks, interaction.NewQuestion(fmt.Sprint("eff_", n), big[:task.MaxInteraction-spare/4]))
	}
	l.commit(task.Pause(l.rec, asks, task.Step{}, l.write())).check()
	l.answer("m-answer").claim()
	word := text("m-word", big[:task.MaxStatus-spare])
	turn := &task.Turn{ContextID: "ctx", Messages: []a2a.Message{text("q", big), word}}
	l.commit(task.Finish(l.rec, task.Ending{State: a2a.TaskStateCompleted, Message: &word}, task.Step{}, turn, l.write()))
	l.check()
	diff(t, "conversation", task.Transcript{Version: 1, Messages: turn.Messages},
		transcript(t, h.Store, alice, "ctx", task.Latest))
}

// JSON values are kept as they were written.
func exactJSON(t testing.TB, h Harness) {
	value := json.RawMessage(`{"big":123456789012345678901234567890,"exp":1.0e+2,"null":null,"line":"` + "\u2028" +
		`","html":"<&>","nul":"\u0000","z":1,"a":[],"":{}}`)
	m := text("m-1", "\u2028 <b>&amp;</b> \x00 \U0001F600")
	m.Metadata = a2a.Metadata{"urn:x": value, "null": json.RawMessage("null")}
	m.Parts = append(m.Parts,
		a2a.Part{Content: a2a.Data(value), Metadata: a2a.Metadata{"n": json.RawMessage("9007199254740993")}},
		a2a.Part{Content: a2a.Data("null")}, a2a.Part{Content: a2a.Raw{}}, a2a.Part{Content: a2a.Text("")},
		a2a.Part{Content: a2a.Raw{0, 255}, MediaType: "image/png", Filename: "a b"},
	)
	l := accept(t, h.Store, start, task.Acceptance{
		Key: task.Key{Scope: alice, ID: "t1"}, ContextID: "ctx", Message: m, OutputModes: []string{"text/plain"},
	})
	l.create().check()
	l.claim().commit(task.Finish(l.rec, task.Ending{State: a2a.TaskStateCompleted, Message: &m}, task.Step{},
		&task.Turn{ContextID: "ctx", Messages: []a2a.Message{m}}, l.write())).check()
	diff(t, "conversation", []a2a.Message{m}, transcript(t, h.Store, alice, "ctx", task.Latest).Messages)
	h.settle()
	page, err := h.Store.List(t.Context(), alice, task.Query{Limit: 1})
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	diff(t, "list", l.rec.Status, page.Tasks[0].Status)
}

// One change may hold many events, and one task many more.
func manyEvents(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	var step task.Step
	for i := range 150 {
		step.Events = append(step.Events, said(fmt.Sprint("event ", i)))
		step.Rows = append(step.Rows, task.Row{Name: fmt.Sprintf("%03d", i), Value: fmt.Append(nil, i)})
	}
	l.step(step).check()
	for i := range 50 {
		l.step(task.Step{Events: []task.Event{said(strings.Repeat(fmt.Sprint(i), 1000))}})
	}
	l.check()
	if got := rows(t, h.Store, l.rec.Key, task.AgentRows); len(got) != 150 {
		t.Errorf("rows: got %d, want 150", len(got))
	}
	_, events, err := h.Store.Read(t.Context(), l.rec.Key, l.rec.Events-3)
	if err != nil {
		t.Fatalf("Read: %v", err)
	}
	diff(t, "the last three", l.events[len(l.events)-3:], events)
}
