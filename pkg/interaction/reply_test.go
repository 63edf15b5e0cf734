package interaction_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// message is a caller's message with parts, and as an answer of the extension unless the entry is
// empty (ANS-02, ANS-03).
func message(id, entry string, parts ...a2a.Content) a2a.Message {
	m := a2a.Message{MessageID: id, TaskID: "t1.a", ContextID: "ticket-4821", Role: a2a.RoleUser}
	for _, c := range parts {
		m.Parts = append(m.Parts, a2a.Part{Content: c})
	}
	if entry != "" {
		m.Extensions = []string{uri}
		m.Metadata = a2a.Metadata{uri: json.RawMessage(entry)}
	}
	return m
}

// answer reads m and holds it against what is open.
func answer(m a2a.Message, open interaction.Interaction) (interaction.Answer, error) {
	r, err := interaction.ReadReply(m)
	if err != nil {
		return interaction.Answer{}, err
	}
	return r.Resolve(m, open, "t1.a", nil)
}

// wantViolation checks for an invalid-params error about one field of the answer.
func wantViolation(t *testing.T, err error, field string) {
	t.Helper()
	var e *a2a.Error
	if !errors.As(err, &e) || e.Code != a2a.CodeInvalidParams {
		t.Fatalf("got error %v, want code %d", err, a2a.CodeInvalidParams)
	}
	if len(e.Violations) != 1 || e.Violations[0].Field != field || e.Violations[0].Description == "" {
		t.Errorf("violations: got %+v, want one of %s", e.Violations, field)
	}
}

// an answer lists the extension and carries its entry; anything less is a plain reply.
func TestReadReplyIsAnswer(t *testing.T) {
	t.Parallel()
	entry := a2a.Metadata{uri: json.RawMessage(`{"interactionId":"eff_1","approved":true}`)}
	for _, test := range []struct {
		name       string
		extensions []string
		metadata   a2a.Metadata
		wantID     string
	}{
		{"listed and carried (ANS-02, ANS-03)", []string{other, uri}, entry, "eff_1"},
		{"carried, not listed", []string{other}, entry, ""},
		{"listed, not carried", []string{uri}, a2a.Metadata{other: entry[uri]}, ""},
		{"neither", nil, nil, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := message("m-1", "", a2a.Text("yes"))
			m.Extensions, m.Metadata = test.extensions, test.metadata
			r, err := interaction.ReadReply(m)
			if err != nil || r.InteractionID != test.wantID {
				t.Errorf("ReadReply: got id %q, %v, want id %q", r.InteractionID, err, test.wantID)
			}
		})
	}
}

// shape comes first, whatever is open.
func TestReadReplyMalformed(t *testing.T) {
	t.Parallel()
	const field = `message.metadata["` + uri + `"]`
	for _, test := range []struct{ name, entry, field string }{
		{"null", `null`, field},
		{"array", `[]`, field},
		{"string", `"eff_1"`, field},
		{"not JSON", `{`, field},
		{"no id", `{"approved":true}`, field + ".interactionId"},
		{"empty id", `{"interactionId":"","approved":true}`, field + ".interactionId"},
		{"null id", `{"interactionId":null,"approved":true}`, field + ".interactionId"},
		{"number id", `{"interactionId":1,"approved":true}`, field + ".interactionId"},
		{"id in another case", `{"InteractionId":"eff_1","approved":true}`, field + ".interactionId"},
		{"long id (R-65)", `{"interactionId":"` + strings.Repeat("e", 257) + `","approved":true}`, field + ".interactionId"},
		{"control character (R-65)", `{"interactionId":"eff_\n1","approved":true}`, field + ".interactionId"},
		{"neither approved nor value", `{"interactionId":"eff_1"}`, field},
		{"approved in another case", `{"interactionId":"eff_1","Approved":true}`, field},
		{"approved is text", `{"interactionId":"eff_1","approved":"true"}`, field + ".approved"},
		{"approved is a number", `{"interactionId":"eff_1","approved":1}`, field + ".approved"},
		{"approved is null", `{"interactionId":"eff_1","approved":null}`, field + ".approved"},
		{"approved is text beside a value", `{"interactionId":"eff_1","approved":"yes","value":true}`, field + ".approved"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := interaction.ReadReply(message("m-1", test.entry, a2a.Text("yes")))
			wantViolation(t, err, test.field)
		})
	}
}

// INT-16, CONN-06, CONN-07.
func TestConnected(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		`true`: true, `{"connected":true}`: true, ` { "connected" : true , "by": "ann" } `: true,
		`false`: false, `{"connected":false}`: false, `{"connected":"true"}`: false, `{"connected":1}`: false,
		`{"connected":null}`: false, `{"Connected":true}`: false, `{}`: false, `null`: false, `"true"`: false,
		`1`: false, `[true]`: false, `"connected"`: false, `{"connected":[true]}`: false, ``: false,
	} {
		a := interaction.Answer{Kind: interaction.Connection, Value: json.RawMessage(value)}
		if got := a.Connected(); got != want {
			t.Errorf("Connected of %q: got %v, want %v", value, got, want)
		}
	}
}

// R-49, INT-12: the first data part's value, else the text parts.
func TestDefault(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		parts []a2a.Content
		want  string
	}{
		{"text", []a2a.Content{a2a.Text("aisle")}, `"aisle"`},
		{"texts", []a2a.Content{a2a.Text("aisle"), a2a.Text("or window")}, `"aisle\nor window"`},
		{"text kept as typed", []a2a.Content{a2a.Text(" <a & b> ")}, `" <a & b> "`},
		{"data", []a2a.Content{a2a.Data(`{"seat":"aisle"}`)}, `{"seat":"aisle"}`},
		{"data before text", []a2a.Content{a2a.Text("here"), a2a.Data(`[1]`), a2a.Data(`[2]`)}, `[1]`},
		{"null is an answer (INT-15)", []a2a.Content{a2a.Text("here"), a2a.Data(`null`)}, `null`},
		{"beside a file", []a2a.Content{a2a.URL("https://example.com/x"), a2a.Text("see file")}, `"see file"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := interaction.Default(message("m-1", "", test.parts...), interaction.Interaction{})
			if err != nil || string(got) != test.want {
				t.Errorf("Default: got %s, %v, want %s", got, err, test.want)
			}
		})
	}
	for name, parts := range map[string][]a2a.Content{
		"nothing": nil, "files only": {a2a.URL("https://example.com/x"), a2a.Raw("x")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := interaction.Default(message("m-1", "", parts...), interaction.Interaction{})
			wantViolation(t, err, "message.parts")
		})
	}
}

// ANS-01 to ANS-05, R-04: the answer of the interactions page, read from its JSON.
func TestAnswerOfThePage(t *testing.T) {
	t.Parallel()
	var m a2a.Message
	if err := json.Unmarshal([]byte(`{
		"role": "ROLE_USER",
		"messageId": "m-2",
		"taskId": "t1.a",
		"contextId": "ticket-4821",
		"parts": [{ "data": { "approved": false } }],
		"extensions": ["https://docs.nylorun.com/a2a/interactions/v1"],
		"metadata": {
			"https://docs.nylorun.com/a2a/interactions/v1": { "interactionId": "eff_01J", "approved": true }
		}
	}`), &m); err != nil {
		t.Fatalf("Unmarshal: %v", err)
	}
	got, err := answer(m, interaction.NewApproval("eff_01J", "github", "create_pull_request", ""))
	if err != nil {
		t.Fatalf("answer: %v", err)
	}
	want := interaction.Answer{InteractionID: "eff_01J", Kind: interaction.Approval, Approved: true, MessageID: "m-2"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the metadata decides (-want +got):\n%s", diff)
	}
}
