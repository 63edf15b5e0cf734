package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// A message that wants thousands of calls has no more made than a task's record can hold; the model is
// told of the others, and the caller of a few.
func TestManyCalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wanted []string
		for n := range 3000 {
			wanted = append(wanted, fmt.Sprintf(`hub__get {"title":"%d"}`, n))
		}
		w := newWorld(t, "permissions: { allow: [hub/*] }", calls(wanted...), text("Done."))
		done := w.ask("Go")
		w.want(done, completed)
		results := w.model.last().Results
		if len(w.tools.made) != 64 || len(results) != 3000 || results[63].Error || !strings.HasPrefix(results[64].Text, "tool.invalid: ") {
			t.Errorf("%d calls and %d results were made of 3000", len(w.tools.made), len(results))
		}
	})
}

// The caller is told of a few tools at work, however many there are.
func TestManyCallsAreTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var wanted []string
		for n := range 20 {
			wanted = append(wanted, fmt.Sprintf(`hub__get {"title":"%d"}`, n))
		}
		w := newWorld(t, "permissions: { allow: [hub/get], ask: [hub/make] }", calls(wanted...), calls("hub__make {}"), text("Done."))
		held := w.ask("Go")
		_, events, err := w.store.Read(t.Context(), w.record(held).Key, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			if e.Status != nil && e.Status.Message != nil && fmt.Sprint(e.Status.Message.Parts[0].Content) == "Using "+strings.Repeat("hub / get, ", 7)+"hub / get and 12 more" {
				return
			}
		}
		t.Errorf("nobody was told: %+v", events)
	})
}

// What is too long to be asked, or to be the name of a tool, is told to the model and ends nothing.
func TestOverlongWords(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		long := strings.Repeat("x", 100_000)
		w := newWorld(t, "", calls(`builtin__ask_user {"question":"`+long+`"}`, long+" {}"), text("Done."))
		w.want(w.ask("Go"), completed)
		for i, code := range []string{"tool.invalid: ", "tool.none: "} {
			if got := w.model.last().Results[i].Text; !strings.HasPrefix(got, code) || len(got) > 1000 {
				t.Errorf("told %.80q of %d bytes, want %s", got, len(got), code)
			}
		}
	})
}

// So is what is too much to be asked at a time, though each is not too long.
func TestTooMuchIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all []string
		for range 40 {
			all = append(all, `builtin__ask_user {"question":"`+strings.Repeat("\u00e9", 4000)+`"}`)
		}
		w := newWorld(t, "", calls(all...), text("Done."))
		open := w.ask("Go")
		for open.Status.State == input {
			open = w.answer(open, `"value":"Yes."`)
		}
		w.want(open, completed)
		answered := 0
		for _, r := range w.model.last().Results {
			if !strings.HasPrefix(r.Text, "tool.invalid: ") {
				answered++
			}
		}
		if answered < 10 || answered == len(all) {
			t.Errorf("%d of %d questions were asked", answered, len(all))
		}
	})
}

// What nests deeper than a row can be read again is refused before anybody is asked, wherever it stands.
func TestDeepArguments(t *testing.T) {
	for _, levels := range []int{a2a.MaxDepth, a2a.MaxDepth + 1, 9996, 10_001} {
		synctest.Test(t, func(t *testing.T) {
			deep := strings.Repeat("[", levels-1) + strings.Repeat("]", levels-1)
			answer := calls(`hub__make {"x":` + deep + `}`)
			answer.raw = json.RawMessage(`{"x":` + deep + `}`)
			w := newWorld(t, "", answer, text("Done."))
			w.tools.list[2].Schema = json.RawMessage(`{"type":"object"}`)
			open := w.ask("Go")
			if levels <= a2a.MaxDepth {
				w.want(open, authority)
				open = w.answer(open, `"approved":true`)
			}
			w.want(open, completed)
			if got := w.model.last().Results[0].Text; strings.HasPrefix(got, "tool.invalid: ") != (levels > a2a.MaxDepth) {
				t.Errorf("%d levels: told %.100q", levels, got)
			}
		})
	}
}

// A turn whose slices fail, after calls that they had to put off, ends as others do that come no further.
func TestFailingBesideWhatIsPutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newSlicedWorld(t, time.Minute, allowed, calls("hub__get {}", "hub__label {}"), text("Done."))
		w.tools.call = func(_ context.Context, c tool.Call, _ int) tool.Outcome {
			if c.Tool == "get" {
				panic("a bug")
			}
			time.Sleep(time.Minute) // longer than the slice
			return tool.NotSent{Reason: "busy", Passing: true}
		}
		sent := w.deliver(a2a.Message{Parts: []a2a.Part{{Content: a2a.Text("Go")}}}, a2a.SendMessageConfiguration{ReturnImmediately: true})
		if sent.Err != nil {
			t.Fatal(sent.Err)
		}
		for range 6 {
			time.Sleep(time.Hour)
			w.recover()
		}
		if got := w.records()[0].Status.State; got != a2a.TaskStateFailed {
			t.Errorf("after six hours: got %s", got)
		}
	})
}
