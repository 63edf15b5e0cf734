package interaction_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

var seeds = []string{
	`{"interactionId":"eff_1","approved":true}`,
	`{"interactionId":"eff_1","approved":false,"value":true}`,
	`{"interactionId":"eff_1","value":true}`,
	`{"interactionId":"eff_1","value":{"connected":true}}`,
	`{"interactionId":"eff_2","value":12345678901234567890}`,
	"{\"interactionId\":\"eff_1\",\"value\":\"\u2028\"}",
	`{"interactionId":"eff_1","VALUE":true,"Approved":true}`,
	`{"interactionId":null}`, `null`, `[]`, `{`, ``,
}

// FuzzReadReply holds that nothing panics, that whatever is refused is refused as invalid with a
// field, and that what is not listed is not an answer.
func FuzzReadReply(f *testing.F) {
	for _, entry := range seeds {
		f.Add([]byte(entry), "yes", []byte(`{"approved":true}`), true)
		f.Add([]byte(entry), "", []byte(nil), false)
	}
	f.Fuzz(func(t *testing.T, entry []byte, text string, data []byte, listed bool) {
		m := message("m-1", "", a2a.Text(text), a2a.Data(data))
		m.Metadata = a2a.Metadata{uri: entry}
		if listed {
			m.Extensions = []string{uri}
		}
		r, err := interaction.ReadReply(m)
		var e *a2a.Error
		switch {
		case err != nil && !listed:
			t.Errorf("a plain reply is refused: %v", err)
		case err != nil && (!errors.As(err, &e) || e.Code != a2a.CodeInvalidParams || len(e.Violations) != 1 || !strings.Contains(e.Violations[0].Field, uri)):
			t.Errorf("got error %#v, want invalid params about the entry", err)
		case err == nil && listed != (r.InteractionID != ""):
			t.Errorf("listed %v: got the interaction id %q", listed, r.InteractionID)
		}
	})
}

// FuzzResolve holds, for any message against any open interaction: only an answer of the extension
// to that very interaction approves (INT-11, R-01, R-06); a value is what was sent, byte for byte
// (INT-15); refusals are −32602 or −32004; a hidden message has no trace of the extension.
func FuzzResolve(f *testing.F) {
	for i, entry := range seeds {
		f.Add([]byte(entry), "yes", i%2 == 0, i)
		f.Add([]byte(entry), "", true, i+1)
	}
	kinds := []interaction.Interaction{approval, question, connection}
	f.Fuzz(func(t *testing.T, entry []byte, text string, listed bool, kind int) {
		if !json.Valid(entry) {
			entry = []byte(`{"interactionId":"eff_1","approved":true}`)
		}
		open := kinds[uint(kind)%uint(len(kinds))]
		m := message("m-1", "", a2a.Text(text))
		m.Metadata = a2a.Metadata{uri: entry}
		if listed {
			m.Extensions = []string{uri}
		}
		checkHidden(t, m, text)

		a, err := answer(m, open)
		var sent map[string]json.RawMessage
		json.Unmarshal(entry, &sent)
		var e *a2a.Error
		switch {
		case err != nil:
			if !errors.As(err, &e) || (e.Code != a2a.CodeInvalidParams && e.Code != a2a.CodeUnsupportedOperation) {
				t.Errorf("got error %v, want invalid params or unsupported", err)
			}
		case !listed && open.Kind != interaction.Question:
			t.Errorf("a plain reply answered the open %s: %+v", open.Kind, a)
		case listed:
			checkAnswer(t, a, open, sent)
		}
	})
}

// checkAnswer holds an accepted answer of the extension against what was sent.
func checkAnswer(t *testing.T, a interaction.Answer, open interaction.Interaction, sent map[string]json.RawMessage) {
	t.Helper()
	var id string
	if json.Unmarshal(sent["interactionId"], &id); id != open.ID || a.InteractionID != open.ID || a.Kind != open.Kind {
		t.Errorf("an answer to %q was taken for %q as %+v", id, open.ID, a)
	}
	own, fallback := "value", "approved"
	if open.Kind == interaction.Approval {
		own, fallback = fallback, own
	}
	want, ok := sent[own]
	if !ok {
		want = sent[fallback]
	}
	if open.Kind == interaction.Approval {
		if a.Approved != (string(want) == "true") || a.Value != nil {
			t.Errorf("%s was taken as %+v", want, a)
		}
		return
	}
	if !bytes.Equal(a.Value, want) || a.Approved {
		t.Errorf("%s was taken as %s", want, a.Value)
	}
}

func checkHidden(t *testing.T, m a2a.Message, text string) {
	t.Helper()
	if strings.Contains(text, uri) {
		return // the text is the caller's own and always goes out
	}
	b, err := a2a.Marshal(interaction.Hide(m))
	if err != nil || bytes.Contains(b, []byte(uri)) || bytes.Contains(b, []byte("metadata")) && !strings.Contains(text, "metadata") {
		t.Errorf("hidden: got %s, %v, want no trace of the extension", b, err)
	}
}
