package harness_test

import (
	"slices"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// A model that writes no arguments at all means none, and one that writes them with spaces the same
// as without.
func TestArgumentsAsWritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls("hub__get", "hub__get  ", `hub__get { "title" : "a  b" }`), text("Done."))
	w.want(w.ask("Go"), completed)
	var got []string
	for _, c := range w.tools.made {
		got = append(got, string(c.Arguments))
	}
	slices.Sort(got)
	if want := []string{`{"title":"a  b"}`, "{}", "{}"}; !slices.Equal(got, want) {
		t.Errorf("sent %q, want %q", got, want)
	}
}

// The caller is told which tools work, and with nothing of what; nothing of those that ask, or are
// not called.
func TestProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "", calls(`hub__get {"title":"secret"}`, "hub__none {}", "hub__label {}"), calls("hub__none {}"),
		calls(`builtin__ask_user {"question":"?"}`), text("Done."))
	w.want(w.answer(w.answer(w.ask("Go"), `"approved":true`), `"value":1`), completed)
	_, events, err := w.store.Read(t.Context(), w.records()[0].Key, 0)
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, e := range events {
		if e.Status != nil && !e.Status.State.Interrupted() && e.Status.Message != nil {
			told = append(told, string(e.Status.Message.Parts[0].Content.(a2a.Text)))
		}
	}
	if want := []string{"Using hub / get, hub / label"}; !slices.Equal(told, want) {
		t.Errorf("the caller is told %q, want %q", told, want)
	}
}
