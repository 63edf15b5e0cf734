package task_test

import (
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Design §4: the first push config.
func TestStartPushes(t *testing.T) {
	t.Parallel()
	for name, situation := range situations {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := situation(t)
			w := s.write()
			c := task.StartPushes(s.rec, w)
			if c.Guard != (task.Guard{Revision: s.rec.Revision}) {
				t.Errorf("got guard %+v, want the revision alone", c.Guard)
			}
			wantChanged(t, s.rec, c.Apply(s.rec), w, func(want *task.Record) {
				want.Pushed = new(s.rec.LastStatus)
			})
			s.took(c, nil)
			if s.rec.Owes() {
				t.Error("a status from before the config is owed")
			}
			if c := task.StartPushes(s.rec, s.write()); c != nil {
				t.Errorf("a second time: got the mark %d, want no change", *c.Next.Pushed)
			}
		})
	}
}

// Protocol rule 8, counterexample 10: the mark only rises, and takes wake away only if nothing is
// left and nothing was written since.
func TestRecord_Marked(t *testing.T) {
	t.Parallel()
	ended := working(t).startPushes().step(task.Step{}).finish(a2a.TaskStateCompleted).rec
	live := working(t).startPushes().step(task.Step{Events: []task.Event{{Status: &a2a.TaskStatus{Message: agentText("a")}}}}).rec
	paused := working(t).startPushes().pause(question("q")).rec
	silent := working(t).finish(a2a.TaskStateCompleted).rec
	silent.Wake = start // left by recovery
	tests := map[string]struct {
		r        *task.Record
		revision uint64
		pushed   uint64
		want     *uint64
		asleep   bool
	}{
		"all":                         {ended, ended.Revision, ended.LastStatus, new(ended.LastStatus), true},
		"all of a paused task":        {paused, paused.Revision, paused.LastStatus, new(paused.LastStatus), true},
		"all, written since":          {ended, ended.Revision - 1, ended.LastStatus, new(ended.LastStatus), false},
		"all of a live task":          {live, live.Revision, live.LastStatus, new(live.LastStatus), false},
		"some":                        {ended, ended.Revision, ended.LastStatus - 1, ended.Pushed, false},
		"less than is marked":         {ended, ended.Revision, 1, ended.Pushed, false},
		"a task nobody is told about": {silent, silent.Revision, 9, nil, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := copyOf(t, test.r)
			want.Pushed = test.want
			if test.asleep {
				want.Wake = time.Time{}
			}
			got := test.r.Marked(test.revision, test.pushed)
			if d := diff(want, got); d != "" {
				t.Errorf("(-want +got):\n%s", d)
			}
			if test.r.Wake.IsZero() {
				t.Error("the record it was given changed")
			}
		})
	}
}

// Recovery finds what is live or owes pushes, and nothing else (counterexamples 8 and 9).
func TestWake(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		s    *story
		wake bool
	}{
		"accepted":                {accepted(t), true},
		"claimed":                 {working(t), true},
		"yielded":                 {working(t).yield(), true},
		"paused":                  {working(t).pause(question("q")), false},
		"paused, owing":           {working(t).startPushes().pause(question("q")), true},
		"answered":                {working(t).pause(question("q")).answer(text("m", "a")), true},
		"completed":               {working(t).finish(a2a.TaskStateCompleted), false},
		"completed, owing":        {working(t).startPushes().finish(a2a.TaskStateCompleted), true},
		"canceled":                {working(t).cancel(), false},
		"canceled, owing":         {accepted(t).startPushes().cancel(), true},
		"taken over":              {torn(t, task.ClassWrite).takeover(), false},
		"taken over, owing":       {torn(t, task.ClassWrite).startPushes().takeover(), true},
		"pushes start when ended": {working(t).finish(a2a.TaskStateCompleted).startPushes(), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := !test.s.rec.Wake.IsZero(); got != test.wake {
				t.Errorf("got wake %v, want set %v", test.s.rec.Wake, test.wake)
			}
			if got := test.s.rec.Live() || test.s.rec.Owes(); got != test.wake {
				t.Errorf("got live or owing %v, want %v", got, test.wake)
			}
		})
	}
}
