package task_test

import (
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// the intent is written before the call, by this fence; it is no progress.
func TestIntent(t *testing.T) {
	t.Parallel()
	s := working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved)).later(time.Minute).claim()
	w := s.write()
	c, err := task.Intent(s.rec, "eff_1", w)
	if err != nil {
		t.Fatal(err)
	}
	if c.Guard != s.rec.RunGuard() {
		t.Errorf("got guard %+v, want the run's %+v", c.Guard, s.rec.RunGuard())
	}
	wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
		e := want.Effects["eff_1"]
		e.State, e.Fence = task.EffectSent, want.Fence
		want.Effects["eff_1"] = e
	})
}

// Protocol rule 5: what may be sent, and sent again.
func TestIntent_States(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		s    *story
		want bool
	}{
		"approved":                {working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved)), true},
		"approved by a person":    {held(t).pause(approval("eff_1")).answer(reply("m", "eff_1", `"approved":true`)).claim(), true},
		"not planned":             {working(t), false},
		"held":                    {held(t), false},
		"denied":                  {held(t).pause(approval("eff_1")).answer(reply("m", "eff_1", `"approved":false`)).claim(), false},
		"sent by this run":        {working(t).plan(effect("eff_1", task.ClassRead, task.EffectApproved)).intent("eff_1"), false},
		"a lost read":             {torn(t, task.ClassRead), true},
		"a lost idempotent call":  {torn(t, task.ClassIdempotent), true},
		"a lost write":            {torn(t, task.ClassWrite), false},
		"a lost call of no class": {torn(t, ""), false},
		"a lost write, asked for again": {
			torn(t, task.ClassWrite).takeover().answer(reply("m", "eff_1.2", `"approved":true`)).claim(), true,
		},
		"a lost write, not to be sent again": {
			torn(t, task.ClassWrite).takeover().answer(reply("m", "eff_1.2", `"approved":false`)).claim(), false,
		},
		"settled": {working(t).plan(effect("eff_1", task.ClassRead, task.EffectApproved)).step(task.Step{Settle: []string{"eff_1"}}), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := task.Intent(test.s.rec, "eff_1", test.s.write())
			if !test.want {
				wantAgentError(t, c, err)
				return
			}
			if err != nil {
				t.Fatalf("got error %v, want a change", err)
			}
			if got := c.Next.Effects["eff_1"]; got.State != task.EffectSent || got.Fence != test.s.rec.Fence {
				t.Errorf("got %+v, want it sent by fence %d", got, test.s.rec.Fence)
			}
		})
	}
}

func TestYield(t *testing.T) {
	t.Parallel()
	s := working(t).startPushes()
	w := s.write()
	c, err := task.Yield(s.rec, task.Step{Rows: []task.Row{{Name: "a"}}, Conversation: new(uint64(2))}, w)
	if err != nil {
		t.Fatal(err)
	}
	wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
		want.Lease = nil
		want.Attempts = 0
		want.Hops = 1
		want.Wake = w.At.Add(time.Minute)
		want.Run.Journaled = true
		want.Run.Conversation = new(uint64(2))
	})
	if d := diff([]task.Row{{Name: "agent/a"}}, c.Rows); d != "" {
		t.Errorf("the rows (-want +got):\n%s", d)
	}
	if s := s.yield().claim().yield(); s.rec.Hops != 2 {
		t.Errorf("got %d hops, want 2", s.rec.Hops)
	}
}

// INT-03, INT-09, R-06, R-59: what a pause writes.
func TestPause(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		ask   interaction.Interaction
		state a2a.TaskState
	}{
		"approval":   {approval("eff_held"), a2a.TaskStateAuthRequired},
		"question":   {question("eff_q"), a2a.TaskStateInputRequired},
		"connection": {connection("eff_c"), a2a.TaskStateAuthRequired},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := answered(t)
			s.rec.Shown = false // as if this were the task's first pause
			w := s.write()
			more := question("eff_more")
			c, err := task.Pause(s.rec, []interaction.Interaction{test.ask, more}, task.Step{Rows: []task.Row{{Name: "a"}}}, w)
			if err != nil {
				t.Fatal(err)
			}
			if c.Guard != s.rec.RunGuard() {
				t.Errorf("got guard %+v, want the run's %+v", c.Guard, s.rec.RunGuard())
			}
			m := test.ask.Message(w.ID, "t1.story", "ctx")
			paused := a2a.TaskStatus{State: test.state, Message: &m, Timestamp: w.At}
			wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
				want.Status = paused
				want.Events++
				want.LastStatus = want.Events
				want.Pending = []interaction.Interaction{test.ask, more}
				want.Expires = w.At.Add(patience)
				want.Lease = nil
				want.Shown = true
				want.Run.Journaled = true
				want.Wake = want.Expires // until then a waiting task is nobody's work
			})
			if d := diff([]task.Event{{Seq: s.rec.Events + 1, At: w.At, Status: &paused}}, c.Events); d != "" {
				t.Errorf("the events (-want +got):\n%s", d)
			}
			if d := diff([]task.Row{{Name: "agent/a"}}, c.Rows); d != "" {
				t.Errorf("the rows (-want +got):\n%s", d)
			}
			if got, ok := c.Next.Open(); !ok || got.ID != test.ask.ID {
				t.Errorf("got open %q, %v, want %q", got.ID, ok, test.ask.ID)
			}
		})
	}
}

// what was asked before waits on, in order, and opens by the run's next pause.
func TestPause_Queue(t *testing.T) {
	t.Parallel()
	s := working(t).pause(question("eff_1"), question("eff_2"))
	s.answer(text("m1", "a")).claim()
	if _, ok := s.rec.Open(); ok {
		t.Error("an interaction is open while the task works")
	}
	s.pause(question("eff_3"))
	for i, want := range []string{"eff_2", "eff_3"} {
		if got, _ := s.rec.Open(); got.ID != want {
			t.Errorf("got %q open, want %q", got.ID, want)
		}
		s.answer(text("m-later"+want, "a")).claim()
		if i == 0 {
			s.pause()
		}
	}
	if len(s.rec.Pending) != 0 {
		t.Errorf("got pending %v, want none", s.rec.Pending)
	}
}

// The agent plans a call and holds it in the step that pauses.
func TestPause_PlansAndAsks(t *testing.T) {
	t.Parallel()
	s := working(t)
	c, err := task.Pause(s.rec, []interaction.Interaction{approval("eff_1")}, task.Step{
		Plan: []task.Effect{effect("eff_1", task.ClassWrite, task.EffectHeld)},
	}, s.write())
	if s.took(c, err); s.rec.Effects["eff_1"].State != task.EffectHeld {
		t.Errorf("got %+v, want it held", s.rec.Effects["eff_1"])
	}
}

func TestPause_Refused(t *testing.T) {
	t.Parallel()
	decided := func() *story {
		return held(t).pause(approval("eff_1")).answer(reply("m", "eff_1", `"approved":true`)).claim()
	}
	tests := map[string]struct {
		s    *story
		asks []interaction.Interaction
	}{
		"nothing asked":                    {working(t), nil},
		"no id":                            {working(t), asks(question(""))},
		"one id twice":                     {working(t), asks(question("eff_q"), question("eff_q"))},
		"an id that waits":                 {working(t).pause(question("a"), question("b")).answer(text("m", "x")).claim(), asks(question("b"))},
		"an id that was answered (R-40)":   {working(t).pause(question("a")).answer(text("m", "x")).claim(), asks(question("a"))},
		"approval of no call":              {working(t), asks(approval("eff_1"))},
		"approval of an approved call":     {working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved)), asks(approval("eff_1"))},
		"approval of a decided call":       {decided(), asks(approval("eff_1.2"))},
		"approval of a call twice":         {held(t), asks(approval("eff_1"), approval("eff_1.2"))},
		"approval of a call that was lost": {torn(t, task.ClassWrite), asks(approval("eff_1.2"))},
		"a fault after what is allowed":    {working(t), asks(question("a"), question(""))},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			before := copyOf(t, test.s.rec)
			c, err := task.Pause(test.s.rec, test.asks, task.Step{}, test.s.write())
			wantAgentError(t, c, err)
			if d := diff(before, test.s.rec); d != "" {
				t.Errorf("the record changed (-before +after):\n%s", d)
			}
		})
	}
}

func asks(i ...interaction.Interaction) []interaction.Interaction { return i }

// A question may bear the id of a call: only approvals decide about calls.
func TestPause_QuestionBesideACall(t *testing.T) {
	t.Parallel()
	s := held(t).pause(question("eff_1.2"), approval("eff_1")).answer(text("m", "yes")).claim()
	if got := s.rec.Effects["eff_1"].State; got != task.EffectHeld {
		t.Errorf("the answer of a question made the call %s", got)
	}
}

// Design §4: finish.
func TestFinish(t *testing.T) {
	t.Parallel()
	turn := &task.Turn{ContextID: "ctx", Version: 3, Messages: []a2a.Message{text("m", "a")}}
	for _, state := range []a2a.TaskState{a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateRejected} {
		t.Run(short(state), func(t *testing.T) {
			t.Parallel()
			s := answered(t).pause(question("eff_1"), question("eff_2")).answer(text("m1", "x")).claim()
			last := agentText("The end.")
			w := s.write()
			c, err := task.Finish(s.rec, task.Ending{State: state, Message: last}, task.Step{Events: []task.Event{{Message: agentText("a")}}}, turn, w)
			if err != nil {
				t.Fatal(err)
			}
			if c.Guard != s.rec.RunGuard() {
				t.Errorf("got guard %+v, want the run's %+v", c.Guard, s.rec.RunGuard())
			}
			n := s.rec.Events
			ended := a2a.TaskStatus{State: state, Timestamp: w.At, Message: &a2a.Message{
				MessageID: w.ID + "." + uitoa(n+2), TaskID: "t1.story", ContextID: "ctx", Role: a2a.RoleAgent, Parts: last.Parts,
			}}
			wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
				want.Status = ended
				want.Events, want.LastStatus = n+2, n+2
				want.Lease = nil
				want.Pending = nil
				want.Wake = time.Time{}
			})
			if got := c.Events[1].Status; len(c.Events) != 2 || diff(&ended, got) != "" {
				t.Errorf("got events %v, want a message and the last status", c.Events)
			}
			if got, want := c.Turn != nil, state == a2a.TaskStateCompleted; got != want {
				t.Errorf("got a turn %v, want %v", got, want)
			}
			if last.TaskID != "" || last.MessageID != "" {
				t.Errorf("the agent's message was changed: %+v", last)
			}
		})
	}
}

// a bare message stays bare only if the caller cannot know of the task.
func TestFinish_Bare(t *testing.T) {
	t.Parallel()
	for _, bare := range []bool{false, true} {
		for _, shown := range []bool{false, true} {
			s := working(t)
			s.rec.Shown = shown
			c, err := task.Finish(s.rec, task.Ending{State: a2a.TaskStateCompleted, Message: agentText("a"), Bare: bare}, task.Step{}, nil, s.write())
			if s.took(c, err); s.rec.Bare != (bare && !shown) {
				t.Errorf("bare %v, shown %v: got %v, want %v", bare, shown, s.rec.Bare, bare && !shown)
			}
			if s.rec.Shown != shown {
				t.Errorf("got shown %v, want %v", s.rec.Shown, shown)
			}
		}
	}
}

func TestFinish_Refused(t *testing.T) {
	t.Parallel()
	s := working(t)
	c, err := task.Finish(s.rec, task.Ending{State: a2a.TaskStateFailed, Message: &a2a.Message{}}, task.Step{}, nil, s.write())
	wantAgentError(t, c, err)
}

// Protocol rule 5, R-32, R-40: a person is asked about each write call that a lost run left out.
func TestTakeover(t *testing.T) {
	t.Parallel()
	s := working(t).plan(
		effect("eff_c", task.ClassWrite, task.EffectApproved),
		effect("eff_a", task.ClassWrite, task.EffectApproved),
		effect("eff_b", task.ClassRead, task.EffectApproved),
		effect("eff_d", task.ClassIdempotent, task.EffectApproved),
		effect("eff_e", task.ClassWrite, task.EffectHeld),
		effect("eff_f", task.ClassWrite, task.EffectApproved),
		effect("eff_g", "", task.EffectApproved),
	)
	for _, id := range []string{"eff_c", "eff_a", "eff_b", "eff_d", "eff_g"} {
		s.intent(id)
	}
	s.later(time.Minute).claim()
	w := s.write()
	c := task.Takeover(s.rec, w)
	if c == nil {
		t.Fatal("got no change")
	}
	if c.Guard != s.rec.RunGuard() {
		t.Errorf("got guard %+v, want the run's %+v", c.Guard, s.rec.RunGuard())
	}
	resend := func(id string) interaction.Interaction { return interaction.NewResend(id, 2, "github", "merge") }
	m := resend("eff_a").Message(w.ID, "t1.story", "ctx")
	wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
		for _, id := range []string{"eff_a", "eff_c", "eff_g"} {
			e := want.Effects[id]
			e.State, e.Round = task.EffectUnknown, 2
			want.Effects[id] = e
			want.Pending = append(want.Pending, resend(id))
		}
		want.Status = a2a.TaskStatus{State: a2a.TaskStateAuthRequired, Message: &m, Timestamp: w.At}
		want.Events++
		want.LastStatus = want.Events
		want.Lease = nil
		want.Shown = true
		want.Wake = time.Time{}
	})
	if got := c.Next.Pending[0].ID; got != "eff_a.2" {
		t.Errorf("the first question is %q, want eff_a.2", got)
	}
}

// There is nothing to ask about: no call, this run's own, or one that may simply be sent again.
func TestTakeover_Nothing(t *testing.T) {
	t.Parallel()
	tests := map[string]*story{
		"no call":              working(t),
		"one of this run":      working(t).plan(effect("eff_1", task.ClassWrite, task.EffectApproved)).intent("eff_1"),
		"a lost read":          torn(t, task.ClassRead),
		"a lost idempotent":    torn(t, task.ClassIdempotent),
		"asked already":        torn(t, task.ClassWrite).takeover().answer(reply("m", "eff_1.2", `"approved":true`)).claim(),
		"others wait, no call": working(t).pause(question("a"), question("b")).answer(text("m", "x")).claim(),
	}
	for name, s := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c := task.Takeover(s.rec, s.write()); c != nil {
				t.Errorf("got a change that asks %v, want none", c.Next.Pending)
			}
		})
	}
}

// every further loss asks under a further id, and a consent holds for one sending.
func TestTakeover_Rounds(t *testing.T) {
	t.Parallel()
	s := torn(t, task.ClassWrite)
	for _, id := range []string{"eff_1.2", "eff_1.3", "eff_1.4"} {
		s.takeover()
		open, ok := s.rec.Open()
		if !ok || open.ID != id || open.Kind != interaction.Approval {
			t.Fatalf("got open %+v, want the approval %s", open, id)
		}
		s.answer(reply("m"+id, id, `"approved":true`)).claim().intent("eff_1").later(time.Minute).claim()
	}
}

// A call a person held first is asked about again under the id of the second round.
func TestTakeover_AfterApproval(t *testing.T) {
	t.Parallel()
	s := held(t).pause(approval("eff_1")).answer(reply("m", "eff_1", `"approved":true`)).claim().
		intent("eff_1").later(time.Minute).claim().takeover()
	if open, _ := s.rec.Open(); open.ID != "eff_1.2" {
		t.Errorf("got open %q, want eff_1.2", open.ID)
	}
}

// What waited already is asked first.
func TestTakeover_BehindOthers(t *testing.T) {
	t.Parallel()
	s := held(t).pause(approval("eff_1"), question("eff_q")).answer(reply("m", "eff_1", `"approved":true`)).claim().
		intent("eff_1").later(time.Minute).claim().takeover()
	if open, _ := s.rec.Open(); open.ID != "eff_q" || s.rec.Status.State != a2a.TaskStateInputRequired {
		t.Errorf("got open %q in state %s, want the question", open.ID, s.rec.Status.State)
	}
	s.answer(text("m2", "x")).claim().pause()
	if open, _ := s.rec.Open(); open.ID != "eff_1.2" {
		t.Errorf("got open %q, want eff_1.2", open.ID)
	}
}
