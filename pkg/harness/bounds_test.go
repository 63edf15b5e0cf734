package harness_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
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
