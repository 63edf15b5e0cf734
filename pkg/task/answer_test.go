package task_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Design §4: answer; INT-13, INT-14, INT-18, INT-19.
func TestAnswer_Approval(t *testing.T) {
	t.Parallel()
	for _, approved := range []bool{true, false} {
		t.Run(strconv.FormatBool(approved), func(t *testing.T) {
			t.Parallel()
			s := answered(t).yield().claim().yield().claim().pause(approval("eff_held"), question("eff_q"))
			m := reply("m-2", "eff_held", `"approved":`+strconv.FormatBool(approved))
			m.Parts[0].Content = a2a.Text("Because.")
			w := s.write()
			c, err := task.Answer(s.rec, answering(t, m), w)
			if err != nil {
				t.Fatal(err)
			}

			if c.Guard != (task.Guard{Revision: s.rec.Revision}) {
				t.Errorf("got guard %+v, want the revision alone", c.Guard)
			}
			n := s.rec.Events
			working := statusOf(a2a.TaskStateWorking, w.At)
			wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
				want.Pending, want.Expires = []interaction.Interaction{question("eff_q")}, time.Time{}
				want.Attempts, want.Hops = 0, 0
				want.Run.Kind = task.RunResume
				e := want.Effects["eff_held"]
				e.State = task.EffectDenied
				if approved {
					e.State = task.EffectApproved
				}
				want.Effects["eff_held"] = e
				want.Seen["m-2"] = task.Seen{Hash: a2a.ContentHash(m), Interaction: "eff_held", Event: n + 1}
				want.Status = working
				want.Events, want.LastStatus = n+2, n+2
				want.Wake = w.At.Add(time.Minute)
			})
			kept := m
			kept.TaskID, kept.ContextID = "t1.story", "ctx"
			if d := diff([]task.Event{{Seq: n + 1, At: w.At, Message: &kept}, {Seq: n + 2, At: w.At, Status: &working}}, c.Events); d != "" {
				t.Errorf("the events (-want +got):\n%s", d)
			}
			want := interaction.Answer{
				InteractionID: "eff_held", Kind: interaction.Approval, Approved: approved,
				ApprovedBy: "alice", MessageID: "m-2", At: w.At,
			}
			if !approved {
				want.Reason = "Because."
			}
			wantAnswerRow(t, c, want)
			if m.TaskID != "" {
				t.Errorf("the caller's message was changed: %+v", m)
			}
		})
	}
}

// wantAnswerRow checks the journal's row of an answer.
func wantAnswerRow(t *testing.T, c *task.Change, want interaction.Answer) {
	t.Helper()
	if len(c.Rows) != 1 || c.Rows[0].Name != "answer/"+want.InteractionID {
		t.Fatalf("got rows %v, want one of the answer", c.Rows)
	}
	var got interaction.Answer
	if err := json.Unmarshal(c.Rows[0].Value, &got); err != nil {
		t.Fatal(err)
	}
	if d := diff(want, got); d != "" {
		t.Errorf("the answer kept (-want +got):\n%s", d)
	}
}

// INT-15, INT-12, INT-16, R-01: values are kept as they were written; no effect is decided.
func TestAnswer_Values(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ask   interaction.Interaction
		m     a2a.Message
		value string
	}{
		"a big number": {question("q"), reply("m", "q", `"value":12345678901234567890`), `12345678901234567890`},
		"null":         {question("q"), reply("m", "q", `"value":null`), `null`},
		"an object":    {question("q"), reply("m", "q", `"value":{"b":1,"a":[1.0]}`), `{"b":1,"a":[1.0]}`},
		"words":        {question("q"), text("m", "that <one>"), `"that <one>"`},
		"connected":    {connection("q"), reply("m", "q", `"value":{"connected":true}`), `{"connected":true}`},
		"approved":     {connection("q"), reply("m", "q", `"approved":false`), `false`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answered(t).pause(test.ask)
			w := s.write()
			c, err := task.Answer(s.rec, answering(t, test.m), w)
			if err != nil {
				t.Fatal(err)
			}
			wantAnswerRow(t, c, interaction.Answer{
				InteractionID: "q", Kind: test.ask.Kind, Value: json.RawMessage(test.value),
				ApprovedBy: "alice", MessageID: "m", At: w.At,
			})
			if d := diff(s.rec.Effects, c.Next.Effects); d != "" {
				t.Errorf("effects changed (-before +after):\n%s", d)
			}
		})
	}
}

// SRV-04, R-49: the deployment may read plain replies itself.
func TestAnswer_ValueHook(t *testing.T) {
	t.Parallel()
	s := working(t).pause(question("q"))
	a := answering(t, text("m", "x"))
	a.Value = func(m a2a.Message, i interaction.Interaction) (json.RawMessage, error) {
		return json.RawMessage(`["` + m.MessageID + `","` + i.ID + `"]`), nil
	}
	w := s.write()
	c, err := task.Answer(s.rec, a, w)
	if err != nil {
		t.Fatal(err)
	}
	wantAnswerRow(t, c, interaction.Answer{
		InteractionID: "q", Kind: interaction.Question, Value: json.RawMessage(`["m","q"]`), ApprovedBy: "alice", MessageID: "m", At: w.At,
	})

	a.Value = func(a2a.Message, interaction.Interaction) (json.RawMessage, error) { return json.RawMessage("{"), nil }
	if c, err := task.Answer(s.rec, a, w); err == nil || c != nil {
		t.Errorf("a hook's value that is not JSON: got change %v, error %v, want an error", c, err)
	}
	fault := errors.New("no")
	a.Value = func(a2a.Message, interaction.Interaction) (json.RawMessage, error) { return nil, fault }
	if c, err := task.Answer(s.rec, a, w); !errors.Is(err, fault) || c != nil {
		t.Errorf("a hook's error: got change %v, error %v", c, err)
	}
}

// 500 characters of the words beside a denial reach the agent.
func TestAnswer_ReasonIsCut(t *testing.T) {
	t.Parallel()
	s := held(t).pause(approval("eff_1"))
	m := reply("m", "eff_1", `"approved":false`)
	m.Parts[0].Content = a2a.Text(strings.Repeat("é", 501))
	w := s.write()
	c, err := task.Answer(s.rec, answering(t, m), w)
	if err != nil {
		t.Fatal(err)
	}
	wantAnswerRow(t, c, interaction.Answer{
		InteractionID: "eff_1", Kind: interaction.Approval, Reason: strings.Repeat("é", 500), ApprovedBy: "alice", MessageID: "m", At: w.At,
	})
}

// ANS-08, R-11, R-61: a repeat is known before anything else is looked at.
func TestAnswer_Repeat(t *testing.T) {
	t.Parallel()
	first := reply("m-1", "eff_1", `"approved":true`)
	s := held(t).pause(approval("eff_1"), question("eff_q")).answer(first)
	seen := map[string]*task.Record{"working": s.rec}
	seen["paused on the next"] = s.claim().pause().rec
	seen["canceled"] = s.cancel().rec
	for name, r := range seen {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			again := first
			again.TaskID, again.ContextID = "t1.story", "ctx" // ids are no content
			a := answering(t, again)
			a.Principal = access.Principal{}
			a.Open = &interaction.Interaction{ID: "eff_other", Kind: interaction.Question}
			if c, err := task.Answer(r, a, s.command()); c != nil || err != nil {
				t.Errorf("got change %v, error %v, want neither", c, err)
			}
			other := answering(t, reply("m-1", "eff_1", `"approved":false`))
			c, err := task.Answer(r, other, s.command())
			if e := wantRefused(t, err, a2a.CodeInvalidParams); c != nil || e.Violations[0].Field != "message.messageId" {
				t.Errorf("another content: got change %v, violations %v", c, e.Violations)
			}
		})
	}
}

// seen, state −32004, id −32004, value −32602, with several faults at once; R-10's metadata.
func TestAnswer_OrderOfChecks(t *testing.T) {
	t.Parallel()
	paused := func() *story { return held(t).pause(approval("eff_1"), question("eff_q")) }
	openIs := map[string]string{"taskId": "t1.story", "interactionId": "eff_1", "kind": "approval"}
	wrongValue := `"value":"yes"`
	tests := map[string]struct {
		r        *task.Record
		m        a2a.Message
		by       access.Principal
		code     int
		metadata map[string]string
	}{
		"state before id and value": {
			working(t).rec, reply("m", "eff_none", wrongValue), access.Principal{}, a2a.CodeUnsupportedOperation,
			map[string]string{"taskId": "t1.story", "state": "TASK_STATE_WORKING"},
		},
		"id before value":            {paused().rec, reply("m", "eff_none", wrongValue), alice, a2a.CodeUnsupportedOperation, openIs},
		"pending is not open (R-06)": {paused().rec, reply("m", "eff_q", `"value":1`), alice, a2a.CodeUnsupportedOperation, openIs},
		"the value":                  {paused().rec, reply("m", "eff_1", wrongValue), alice, a2a.CodeInvalidParams, nil},
		"words (INT-11, R-01)":       {paused().rec, text("m", "yes, approve"), alice, a2a.CodeUnsupportedOperation, openIs},
		"nobody (R-12)":              {paused().rec, reply("m", "eff_1", `"approved":true`), access.Principal{}, a2a.CodeUnsupportedOperation, openIs},
		"nobody, in words":           {paused().rec, text("m", "yes"), access.Principal{}, a2a.CodeUnsupportedOperation, openIs},
		"an empty reply to a question (R-49)": {
			working(t).pause(question("eff_q")).rec, a2a.Message{MessageID: "m"}, alice, a2a.CodeInvalidParams, nil,
		},
		"a late answer after a cancel (R-30)": {
			paused().cancel().rec, reply("m", "eff_1", `"approved":true`), alice, a2a.CodeUnsupportedOperation,
			map[string]string{"taskId": "t1.story", "state": "TASK_STATE_CANCELED"},
		},
		"the second of two answers (R-11)": {
			paused().answer(reply("m-1", "eff_1", `"approved":false`)).rec, reply("m", "eff_1", `"approved":true`), alice,
			a2a.CodeUnsupportedOperation, map[string]string{"taskId": "t1.story", "state": "TASK_STATE_WORKING"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := copyOf(t, test.r)
			a := answering(t, test.m)
			a.Principal = test.by
			c, err := task.Answer(test.r, a, task.Write{ID: "w", At: start})
			if c != nil {
				t.Errorf("got a change to %s", c.Next.Status.State)
			}
			if e := wantRefused(t, err, test.code); test.metadata != nil && diff(test.metadata, e.Metadata) != "" {
				t.Errorf("got metadata %v, want %v", e.Metadata, test.metadata)
			}
			if d := diff(before, test.r); d != "" {
				t.Errorf("the record changed (-before +after):\n%s", d)
			}
		})
	}
}

var alice = access.Principal{Tenant: "acme", Subject: "alice"}

// what is no approval may be answered by anyone who was let in; the local principal by rule
// answers all.
func TestAnswer_Anonymous(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ask  interaction.Interaction
		m    a2a.Message
		by   access.Principal
		want string
	}{
		"nobody, a question":         {question("q"), reply("m", "q", `"value":1`), access.Principal{}, ""},
		"nobody, a question's words": {question("q"), text("m", "a"), access.Principal{}, ""},
		"nobody, a connection":       {connection("q"), reply("m", "q", `"value":true`), access.Principal{}, ""},
		"local, an approval":         {approval("eff_held"), reply("m", "eff_held", `"approved":true`), access.Local, "local"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answered(t).pause(test.ask)
			a := answering(t, test.m)
			a.Principal = test.by
			c, err := task.Answer(s.rec, a, s.write())
			if err != nil {
				t.Fatal(err)
			}
			var got interaction.Answer
			if err := json.Unmarshal(c.Rows[0].Value, &got); err != nil || got.ApprovedBy != test.want {
				t.Errorf("got answered by %q, error %v, want %q", got.ApprovedBy, err, test.want)
			}
		})
	}
}

// A record remembers so many answers and no more.
func TestAnswer_Most(t *testing.T) {
	t.Parallel()
	s := working(t)
	for i := range task.MaxAnswers {
		id := strconv.Itoa(i)
		s.pause(question("q" + id)).answer(text("m"+id, "a")).claim()
	}
	s.pause(question("last"))
	_, err := task.Answer(s.rec, answering(t, text("m-over", "a")), s.write())
	if e := wantRefused(t, err, a2a.CodeUnsupportedOperation); e.Metadata["interactionId"] != "last" {
		t.Errorf("got metadata %v, want the open interaction", e.Metadata)
	}
	if c, err := task.Answer(s.rec, answering(t, text("m255", "a")), s.write()); c != nil || err != nil {
		t.Errorf("a repeat at the bound: got change %v, error %v, want neither", c, err)
	}
}

// R-46, INT-19: an answer always puts the task to work, whatever else waits.
func TestAnswer_OneOfSeveral(t *testing.T) {
	t.Parallel()
	s := working(t).pause(question("a"), question("b"), question("c")).answer(text("m", "x"))
	if s.rec.Status.State != a2a.TaskStateWorking || len(s.rec.Pending) != 2 || s.rec.Pending[0].ID != "b" {
		t.Errorf("got state %s, pending %v", s.rec.Status.State, s.rec.Pending)
	}
	if open, ok := s.rec.Open(); ok {
		t.Errorf("got %q open while working", open.ID)
	}
}
