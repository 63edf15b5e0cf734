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

var (
	approval   = interaction.NewApproval("eff_1", "github", "merge", "")
	question   = interaction.NewQuestion("eff_1", "Window or aisle?")
	connection = interaction.NewConnection("eff_1", "Linear", "To file the ticket.")
)

// wantRefused checks for −32004 with what a client needs to recover.
func wantRefused(t *testing.T, err error, open interaction.Interaction) {
	t.Helper()
	var e *a2a.Error
	if !errors.As(err, &e) || e.Code != a2a.CodeUnsupportedOperation {
		t.Fatalf("got error %v, want code %d", err, a2a.CodeUnsupportedOperation)
	}
	want := map[string]string{"taskId": "t1.a", "interactionId": open.ID, "kind": string(open.Kind)}
	if diff := cmp.Diff(want, e.Metadata); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

// INT-11, R-01: no words and no bare data approve or connect anything.
func TestPlainReplyNeverApproves(t *testing.T) {
	t.Parallel()
	replies := []a2a.Content{
		a2a.Text("yes"), a2a.Text("ok"), a2a.Text("allow"), a2a.Text("approve"), a2a.Text("confirm allow"),
		a2a.Text("true"), a2a.Text(`{"interactionId":"eff_1","approved":true}`),
		a2a.Data(`true`), a2a.Data(`{"approved":true}`), a2a.Data(`{"connected":true}`),
		a2a.Data(`{"interactionId":"eff_1","approved":true}`),
		a2a.Data(`{"` + uri + `":{"interactionId":"eff_1","approved":true}}`),
	}
	for _, open := range []interaction.Interaction{approval, connection} {
		for _, c := range replies {
			listed := message("m-1", "", c)
			listed.Extensions = []string{uri}
			carried := message("m-1", `{"interactionId":"eff_1","approved":true}`, c)
			carried.Extensions = nil
			for _, m := range []a2a.Message{message("m-1", "", c), listed, carried} {
				a, err := answer(m, open)
				wantRefused(t, err, open)
				if diff := cmp.Diff(interaction.Answer{}, a); diff != "" {
					t.Errorf("%v to an open %s: answer (-want +got):\n%s", c, open.Kind, diff)
				}
			}
		}
	}
}

// INT-13, INT-14, ANS-06, ANS-07, R-05: how an approval reads an answer.
func TestResolveApproval(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]bool{
		`{"interactionId":"eff_1","approved":true}`:                                true,
		`{"interactionId":"eff_1","approved":false}`:                               false,
		`{"interactionId":"eff_1","value":true}`:                                   true,
		`{"interactionId":"eff_1","value": false }`:                                false,
		`{"interactionId":"eff_1","approved":false,"value":true}`:                  false,
		`{"interactionId":"eff_1","approved":true,"value":false}`:                  true,
		`{"interactionId":"eff_1","approved":true,"value":"ignored"}`:              true,
		`{"interactionId":"eff_1","approved":true,"arguments":{"branch":"other"}}`: true, // no edits
	} {
		got, err := answer(message("m-1", entry, a2a.Data(`{}`)), approval)
		if err != nil {
			t.Errorf("%s: %v", entry, err)
			continue
		}
		wantAnswer := interaction.Answer{InteractionID: "eff_1", Kind: interaction.Approval, Approved: want, MessageID: "m-1"}
		if diff := cmp.Diff(wantAnswer, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", entry, diff)
		}
	}
}

// ANS-07, R-05: what is no boolean is not read as one.
func TestResolveApprovalNeedsBoolean(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`"true"`, `"yes"`, `1`, `null`, `{"approved":true}`, `[true]`, `{"connected":true}`} {
		_, err := answer(message("m-1", `{"interactionId":"eff_1","value":`+value+`}`, a2a.Text("yes")), approval)
		wantViolation(t, err, `message.metadata["`+uri+`"].value`)
	}
}

// INT-12, INT-15, ANS-06, R-05: any JSON value answers a question or a connection, kept as written.
func TestResolveValue(t *testing.T) {
	t.Parallel()
	for _, open := range []interaction.Interaction{question, connection} {
		for entry, want := range map[string]string{
			`"value":"aisle"`:                      `"aisle"`,
			`"value":""`:                           `""`,
			`"value":null`:                         `null`,
			`"value":false`:                        `false`,
			`"value":12345678901234567890123`:      `12345678901234567890123`,
			`"value":1.10e+2`:                      `1.10e+2`,
			`"value":-0`:                           `-0`,
			"\"value\":\"a\u2028b<&>\\u003c\\/\"":  "\"a\u2028b<&>\\u003c\\/\"",
			`"value":{"b":[1, {"a":null}],"a":""}`: `{"b":[1, {"a":null}],"a":""}`,
			`"value":{"connected":true}`:           `{"connected":true}`,
			`"approved":true`:                      `true`,
			`"approved":false`:                     `false`,
			`"approved":true,"value":"aisle"`:      `"aisle"`,
			`"approved":true,"value":null`:         `null`,
		} {
			got, err := answer(message("m-1", `{"interactionId":"eff_1",`+entry+`}`, a2a.Text("beside")), open)
			if err != nil {
				t.Errorf("%s to a %s: %v", entry, open.Kind, err)
				continue
			}
			wantAnswer := interaction.Answer{InteractionID: "eff_1", Kind: open.Kind, Value: json.RawMessage(want), MessageID: "m-1"}
			if diff := cmp.Diff(wantAnswer, got); diff != "" {
				t.Errorf("%s to a %s (-want +got):\n%s", entry, open.Kind, diff)
			}
		}
	}
}

// CONN-06, CONN-07: what an answer to a connection comes to, from the message to the reading.
func TestResolveConnection(t *testing.T) {
	t.Parallel()
	for entry, want := range map[string]bool{
		`"value":{"connected":true}`: true, `"value":true`: true, `"approved":true`: true,
		`"value":{"connected":false}`: false, `"value":"done"`: false, `"approved":false`: false,
		`"approved":true,"value":false`: false,
	} {
		got, err := answer(message("m-1", `{"interactionId":"eff_1",`+entry+`}`, a2a.Data(`{}`)), connection)
		if err != nil || got.Connected() != want {
			t.Errorf("%s: got connected %v, %v, want %v", entry, got.Connected(), err, want)
		}
	}
}

// an answer is for the open interaction by id, and the id is checked
// before the value.
func TestResolveOtherInteraction(t *testing.T) {
	t.Parallel()
	for _, open := range []interaction.Interaction{approval, question, connection} {
		for _, id := range []string{"eff_2", "eff_1.2", "EFF_1", "eff_1 ", "0", "1"} {
			for _, said := range []string{`"approved":true`, `"value":"no boolean"`} {
				_, err := answer(message("m-1", `{"interactionId":"`+id+`",`+said+`}`, a2a.Text("yes")), open)
				wantRefused(t, err, open)
			}
		}
	}
}

// INT-12, SRV-04 as R-49 settles it: a plain reply answers a question; how, the operator may say.
func TestResolvePlainQuestion(t *testing.T) {
	t.Parallel()
	m := message("m-1", "", a2a.Text("aisle"))
	got, err := answer(m, question)
	want := interaction.Answer{InteractionID: "eff_1", Kind: interaction.Question, Value: json.RawMessage(`"aisle"`), MessageID: "m-1"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("answer: %v (-want +got):\n%s", err, diff)
	}

	_, err = answer(message("m-1", "", a2a.Raw("x")), question)
	wantViolation(t, err, "message.parts")

	r, err := interaction.ReadReply(m)
	if err != nil {
		t.Fatalf("ReadReply: %v", err)
	}
	seat := func(m a2a.Message, open interaction.Interaction) (json.RawMessage, error) {
		return json.RawMessage(`{"seat":"` + string(m.Parts[0].Content.(a2a.Text)) + `","to":"` + open.ID + `"}`), nil
	}
	if got, err := r.Resolve(m, question, "t1.a", seat); err != nil || string(got.Value) != `{"seat":"aisle","to":"eff_1"}` {
		t.Errorf("an operator's reading: got %s, %v", got.Value, err)
	}
	if _, err := r.Resolve(m, approval, "t1.a", seat); err == nil {
		t.Error("an operator's reading answered an approval")
	}
	unreadable := errors.New("no seat")
	fails := func(a2a.Message, interaction.Interaction) (json.RawMessage, error) { return nil, unreadable }
	if _, err := r.Resolve(m, question, "t1.a", fails); !errors.Is(err, unreadable) {
		t.Errorf("an operator's refusal: got %v, want %v", err, unreadable)
	}
}

// a person's words beside a denial are kept, at most 500 characters; beside anything else
// they are not.
func TestReason(t *testing.T) {
	t.Parallel()
	deny, approve := `{"interactionId":"eff_1","approved":false}`, `{"interactionId":"eff_1","approved":true}`
	for _, test := range []struct {
		name, entry string
		open        interaction.Interaction
		parts       []a2a.Content
		want        string
	}{
		{"denied", deny, approval, []a2a.Content{a2a.Text("not on a Friday")}, "not on a Friday"},
		{"denied by value", `{"interactionId":"eff_1","value":false}`, approval, []a2a.Content{a2a.Text("no")}, "no"},
		{"lines", deny, approval, []a2a.Content{a2a.Text("a"), a2a.Data(`1`), a2a.Text("b")}, "a\nb"},
		{"without words", deny, approval, []a2a.Content{a2a.Data(`{"approved":false}`)}, ""},
		{"cut on characters", deny, approval, []a2a.Content{a2a.Text(strings.Repeat("é", 501))}, strings.Repeat("é", 500)},
		{"just fits", deny, approval, []a2a.Content{a2a.Text(strings.Repeat("🦊", 500))}, strings.Repeat("🦊", 500)},
		{"approved", approve, approval, []a2a.Content{a2a.Text("but not on a Friday")}, ""},
		{"a question", deny, question, []a2a.Content{a2a.Text("because")}, ""},
		{"a connection", deny, connection, []a2a.Content{a2a.Text("because")}, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := answer(message("m-1", test.entry, test.parts...), test.open)
			if err != nil || got.Reason != test.want {
				t.Errorf("reason: got %q, %v, want %q", got.Reason, err, test.want)
			}
		})
	}
}

// ANS-08, ANS-10, INT-18: the record keeps an answer whole, values of any kind included.
func TestAnswerRoundTrip(t *testing.T) {
	t.Parallel()
	for _, value := range []string{`null`, `12345678901234567890123`, "\"a\u2028<\"", `{"b":1,"a":[]}`} {
		want := interaction.Answer{
			InteractionID: "eff_1", Kind: interaction.Question, Value: json.RawMessage(value),
			ApprovedBy: "ann", MessageID: "answer:eff_1",
		}
		b, err := a2a.Marshal(want)
		if err != nil {
			t.Fatalf("Marshal: %v", err)
		}
		var got interaction.Answer
		if err := json.Unmarshal(b, &got); err != nil {
			t.Fatalf("Unmarshal: %v", err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("value %s (-want +got):\n%s", value, diff)
		}
	}
}
