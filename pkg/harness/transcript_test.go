package harness

import (
	"errors"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// A model is never shown a call without its result, or another's: that would be this package's own
// fault, and is not mended by leaving something out.
func TestTranscriptPairs(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(l *ledger){
		"":                 func(*ledger) {},
		"no result":        func(l *ledger) { delete(l.results, "e2") },
		"another's":        func(l *ledger) { l.calls["e2"] = call{CallID: "c1"} },
		"a call too many":  func(l *ledger) { l.steps[0].Message.Calls = append(l.steps[0].Message.Calls, model.Call{ID: "c3"}) },
		"a call too few":   func(l *ledger) { l.steps[0].Message.Calls = l.steps[0].Message.Calls[:1] },
		"of another order": func(l *ledger) { l.steps[0].Calls[0], l.steps[0].Calls[1] = "e2", "e1" },
	} {
		l := &ledger{
			steps: []step{{
				Message: model.Message{Role: model.RoleAssistant, Calls: []model.Call{{ID: "c1"}, {ID: "c2"}}},
				Calls:   []string{"e1", "e2"},
			}},
			calls:   map[string]call{"e1": {CallID: "c1"}, "e2": {CallID: "c2"}},
			results: map[string]result{"e1": {Text: "one"}, "e2": {Text: "two"}},
		}
		lose(l)
		s := &slice{ledger: l}
		all, err := s.transcript()
		if whole := name == ""; whole != (err == nil) || whole == errors.Is(err, errPairing) || whole && len(all) != 2 {
			t.Errorf("%q: got %+v, %v", name, all, err)
		}
	}
}

// A model is not shown a message in which there is nothing to read: providers refuse it.
func TestTranscriptWithoutEmptyMessages(t *testing.T) {
	t.Parallel()
	said := func(words ...string) (m a2a.Message) {
		for _, s := range words {
			m.Parts = append(m.Parts, a2a.Part{Content: a2a.Text(s)})
		}
		return m
	}
	s := &slice{ledger: &ledger{}, in: agent.Input{Messages: []a2a.Message{said(), said(""), said("Hi", "there")}}}
	all, err := s.transcript()
	if err != nil || len(all) != 1 || all[0].Text != "Hi\nthere" {
		t.Errorf("got %+v, %v", all, err)
	}
}
