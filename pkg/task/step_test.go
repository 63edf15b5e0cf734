package task_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// A step is one write: rows, events, plan, outcome and pin together (design §4: step).
func TestAdvance(t *testing.T) {
	t.Parallel()
	s := answered(t).later(0)
	w := s.write()
	artifact := a2a.Artifact{ArtifactID: "a", Parts: agentText("page").Parts}
	said := *agentText("Hm.")
	said.TaskID, said.ContextID, said.Role = "theirs", "theirs", a2a.RoleUser

	c, err := task.Advance(s.rec, task.Step{
		Rows: []task.Row{{Name: "step/1", Value: []byte("v")}, {Name: "step/2"}},
		Events: []task.Event{
			{Seq: 99, Message: &said},
			{Status: &a2a.TaskStatus{State: a2a.TaskStateCompleted, Message: agentText("Half way.")}},
			{Artifact: &task.Piece{Artifact: artifact, Append: true, LastChunk: true}},
		},
		Plan:         []task.Effect{effect("eff_new", task.ClassRead, task.EffectApproved)},
		Settle:       []string{"eff_ok"},
		Conversation: new(uint64(4)),
	}, w)
	if err != nil {
		t.Fatal(err)
	}

	if c.Guard != s.rec.RunGuard() {
		t.Errorf("got guard %+v, want the run's %+v", c.Guard, s.rec.RunGuard())
	}
	n := s.rec.Events
	message := a2a.Message{MessageID: w.ID + "." + uitoa(n+1), TaskID: "t1.story", ContextID: "ctx", Role: a2a.RoleAgent, Parts: said.Parts}
	working := a2a.TaskStatus{
		State:     a2a.TaskStateWorking, // whatever the agent says: only outcomes change the state
		Message:   &a2a.Message{MessageID: w.ID + "." + uitoa(n+2), TaskID: "t1.story", ContextID: "ctx", Role: a2a.RoleAgent, Parts: agentText("Half way.").Parts},
		Timestamp: w.At,
	}
	wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
		want.Attempts = 0
		want.Run.Journaled = true
		want.Run.Conversation = new(uint64(4))
		want.Effects["eff_new"] = effect("eff_new", task.ClassRead, task.EffectApproved)
		delete(want.Effects, "eff_ok")
		want.Status = working
		want.Events, want.LastStatus = n+3, n+2
	})
	if d := diff([]task.Event{
		{Seq: n + 1, At: w.At, Message: &message},
		{Seq: n + 2, At: w.At, Status: &working},
		{Seq: n + 3, At: w.At, Artifact: &task.Piece{Artifact: artifact, Append: true, LastChunk: true}},
	}, c.Events); d != "" {
		t.Errorf("the events (-want +got):\n%s", d)
	}
	if d := diff([]task.Row{{Name: "agent/step/1", Value: []byte("v")}, {Name: "agent/step/2"}}, c.Rows); d != "" {
		t.Errorf("the rows (-want +got):\n%s", d)
	}
	if said.TaskID != "theirs" || said.MessageID != "" {
		t.Errorf("the agent's message was changed: %+v", said)
	}
}

func uitoa(n uint64) string { b, _ := json.Marshal(n); return string(b) }

// Attempts end with progress; a step without rows is no checkpoint (LEASE-04).
func TestAdvance_TextOnly(t *testing.T) {
	t.Parallel()
	s := working(t)
	w := s.write()
	c, err := task.Advance(s.rec, task.Step{}, w)
	if err != nil {
		t.Fatal(err)
	}
	wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) { want.Attempts = 0 })
}

// the run reads the version that its first write pinned.
func TestStep_ConversationIsPinnedOnce(t *testing.T) {
	t.Parallel()
	s := working(t).step(task.Step{}).step(task.Step{Conversation: new(uint64(0))}).step(task.Step{Conversation: new(uint64(7))})
	if got := s.rec.Run.Conversation; got == nil || *got != 0 {
		t.Errorf("got pinned %v, want 0", got)
	}
	s.pause(question("eff_q")).answer(text("m", "a")).claim()
	if got := s.rec.Run.Conversation; got == nil || *got != 0 {
		t.Errorf("after an answer got pinned %v, want 0", got)
	}
}

// A message's own id stays; a status or artifact alone makes no message id.
func TestStep_MessageID(t *testing.T) {
	t.Parallel()
	m := agentText("a")
	m.MessageID = "own"
	s := working(t).step(task.Step{Events: []task.Event{{Message: m}}})
	if got := s.events[len(s.events)-1].Message.MessageID; got != "own" {
		t.Errorf("got id %q, want own", got)
	}
}

// What an agent must not do: nothing is written, and the task fails for it.
func TestStep_Refused(t *testing.T) {
	t.Parallel()
	event := func(e task.Event) task.Step { return task.Step{Events: []task.Event{e}} }
	plan := func(e ...task.Effect) task.Step { return task.Step{Plan: e} }
	words := a2a.TaskStatus{State: a2a.TaskStateWorking, Message: agentText("a")}
	piece := func(a a2a.Artifact) task.Step { return event(task.Event{Artifact: &task.Piece{Artifact: a}}) }
	broken := agentText("a")
	broken.Metadata = a2a.Metadata{"k": json.RawMessage("{")}
	tests := map[string]task.Step{
		"an empty event":                event(task.Event{}),
		"a message without parts":       event(task.Event{Message: &a2a.Message{}}),
		"a message that is not JSON":    event(task.Event{Message: broken}),
		"a status without words":        event(task.Event{Status: &a2a.TaskStatus{State: a2a.TaskStateCompleted}}),
		"a status message with nothing": event(task.Event{Status: &a2a.TaskStatus{Message: &a2a.Message{}}}),
		"an artifact without an id":     piece(a2a.Artifact{Parts: agentText("a").Parts}),
		"an artifact without parts":     piece(a2a.Artifact{ArtifactID: "a"}),
		"a message and a status":        event(task.Event{Message: agentText("a"), Status: &words}),
		"a message and an artifact":     event(task.Event{Message: agentText("a"), Artifact: &task.Piece{}}),
		"a status and an artifact":      event(task.Event{Status: &words, Artifact: &task.Piece{Artifact: a2a.Artifact{ArtifactID: "a", Parts: words.Message.Parts}}}),
		"a plan without an id":          plan(effect("", task.ClassRead, task.EffectApproved)),
		"a plan with a dotted id":       plan(effect("eff_ok.2", task.ClassRead, task.EffectApproved)),
		"a plan of a known call":        plan(effect("eff_ok", task.ClassRead, task.EffectApproved)),
		"a plan of one call twice":      plan(effect("eff_n", task.ClassRead, task.EffectHeld), effect("eff_n", task.ClassRead, task.EffectApproved)),
		"a plan of a sent call":         plan(effect("eff_n", task.ClassRead, task.EffectSent)),
		"a plan of a denied call":       plan(effect("eff_n", task.ClassRead, task.EffectDenied)),
		"a plan of an unknown call":     plan(effect("eff_n", task.ClassRead, task.EffectUnknown)),
		"an outcome of no call":         {Settle: []string{"eff_none"}},
		"an outcome of a held call":     {Settle: []string{"eff_held"}},
		"one outcome twice":             {Settle: []string{"eff_ok", "eff_ok"}},
		"a row without a name":          {Rows: []task.Row{{}}},
		"a row of too long a name":      {Rows: []task.Row{{Name: strings.Repeat("a", 513)}}},
		"a row of a broken name":        {Rows: []task.Row{{Name: "\xff"}}},
		"a release of no call":          {Release: []string{"eff_none"}},
		"a release of a held call":      {Release: []string{"eff_held"}},
		"a release of a call not sent":  {Release: []string{"eff_ok"}},
		"no outcome of no call":         {Unknown: []string{"eff_none"}},
		"no outcome of a call not sent": {Unknown: []string{"eff_ok"}},
		"a fault after what is allowed": {Rows: []task.Row{{Name: "a"}}, Events: []task.Event{{Message: agentText("a")}, {}}},
	}
	for name, step := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answered(t)
			before := copyOf(t, s.rec)
			w := s.write()
			advanced, err := task.Advance(s.rec, step, w)
			wantAgentError(t, advanced, err)
			yielded, err := task.Yield(s.rec, step, w)
			wantAgentError(t, yielded, err)
			paused, err := task.Pause(s.rec, nil, step, w)
			wantAgentError(t, paused, err)
			finished, err := task.Finish(s.rec, task.Ending{State: a2a.TaskStateCompleted}, step, nil, w)
			wantAgentError(t, finished, err)
			if d := diff(before, s.rec); d != "" {
				t.Errorf("the record changed (-before +after):\n%s", d)
			}
		})
	}
}

// Which calls may be settled: the run's own, the denied, and those never to be sent; a late outcome
// of another run's call is not taken (protocol rule 5, counterexample 19).
func TestStep_Settle(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		s    *story
		want bool
	}{
		"approved": {working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved)), true},
		"sent":     {working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved)).intent("eff_1"), true},
		"denied":   {held(t).pause(approval("eff_1")).answer(reply("m", "eff_1", `"approved":false`)).claim(), true},
		"held":     {held(t), false},
		"sent by a lost run, a read": {
			working(t).plan(effect("eff_1", task.ClassRead, task.EffectApproved)).intent("eff_1").later(lease * 2).claim(), false,
		},
		"sent by a lost run, a write": {torn(t, task.ClassWrite), false},
		"unknown, whatever a person says next": {
			torn(t, task.ClassWrite).takeover().answer(reply("m", "eff_1.2", `"approved":true`)).claim(), true,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := task.Advance(test.s.rec, task.Step{Settle: []string{"eff_1"}}, test.s.write())
			if !test.want {
				wantAgentError(t, c, err)
				return
			}
			if err != nil {
				t.Fatalf("got error %v, want a change", err)
			}
			if got := c.Apply(test.s.rec).Effects; len(got) != 0 {
				t.Errorf("got effects %v, want none", got)
			}
		})
	}
	t.Run("unknown", func(t *testing.T) {
		t.Parallel()
		// The question about the lost call waits behind another: the run goes on meanwhile.
		s := held(t).pause(approval("eff_1"), question("eff_q")).answer(reply("m", "eff_1", `"approved":true`)).claim().
			intent("eff_1").later(lease * 2).claim().takeover().answer(text("m2", "words")).claim()
		if got := s.rec.Effects["eff_1"].State; got != task.EffectUnknown {
			t.Fatalf("got state %s, want unknown", got)
		}
		c, err := task.Advance(s.rec, task.Step{Settle: []string{"eff_1"}}, s.write())
		wantAgentError(t, c, err)
	})
}

// held is a run's story with the write call eff_1 held.
func held(t testing.TB) *story {
	return working(t).plan(effect("eff_1", task.ClassWrite, task.EffectHeld))
}

// torn is the story of the run after one that was lost while its call eff_1 was out.
func torn(t testing.TB, class task.EffectClass) *story {
	return working(t).plan(effect("eff_1", class, task.EffectApproved)).intent("eff_1").later(lease * 2).claim()
}

// a call that surely did nothing may be made again; one that may have done something is made
// again only if a person says so, under a new id.
func TestStep_AfterACallWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	sent := func() *story {
		return working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved)).intent("eff_1")
	}

	s := sent().step(task.Step{Release: []string{"eff_1"}})
	if e := s.rec.Effects["eff_1"]; e.State != task.EffectApproved || e.Fence != 0 {
		t.Errorf("released: got %+v, want it approved", e)
	}
	s.intent("eff_1")

	s = sent().step(task.Step{Unknown: []string{"eff_1"}})
	if e := s.rec.Effects["eff_1"]; e.State != task.EffectUnknown || e.Round != 2 || !s.rec.Live() {
		t.Errorf("unknown: got %+v", e)
	}
	if c, err := task.Intent(s.rec, "eff_1", s.write()); err == nil {
		t.Errorf("made again without asking: %+v", c)
	}
	s.pause()
	if open, ok := s.rec.Open(); !ok || open.ID != "eff_1.2" {
		t.Fatalf("open: got %+v, want eff_1.2", open)
	}
	s.answer(reply("m", "eff_1.2", `"approved":true`)).claim().intent("eff_1").step(task.Step{Unknown: []string{"eff_1"}}).pause()
	if open, _ := s.rec.Open(); open.ID != "eff_1.3" {
		t.Errorf("unknown again: got %s open, want eff_1.3", open.ID)
	}

	for name, s := range map[string]*story{"a lost run's": torn(t, task.ClassRead), "nobody's": working(t)} {
		for _, step := range []task.Step{{Release: []string{"eff_1"}}, {Unknown: []string{"eff_1"}}} {
			c, err := task.Advance(s.rec, step, s.write())
			t.Log(name)
			wantAgentError(t, c, err)
		}
	}
}
