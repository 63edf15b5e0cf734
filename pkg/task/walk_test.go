package task_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Random commands on one task, many of them from writers that read it long ago, some of whose
// answers are lost: after every write the record is one that a small model, which knows nothing of
// the rules, allows.
func TestWalk(t *testing.T) {
	t.Parallel()
	met := map[string]int{}
	for seed := range uint64(25) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 0))
			w := newWalk(t, rnd, met)
			for range 400 {
				w.command()
				if w.rec.Status.State.Terminal() && rnd.IntN(20) == 0 {
					w = newWalk(t, rnd, met)
				}
			}
		})
	}
	for _, what := range []string{
		"TASK_STATE_SUBMITTED", "TASK_STATE_WORKING", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_AUTH_REQUIRED",
		"TASK_STATE_COMPLETED", "TASK_STATE_FAILED", "TASK_STATE_CANCELED", "TASK_STATE_REJECTED",
		"held", "approved", "denied", "sent", "unknown", "sent again",
		"expired", "a stale write", "a lost run", "an applied write", "a full ring",
	} {
		if met[what] < 5 {
			t.Errorf("the walk met %q %d times: it proves too little", what, met[what])
		}
	}
}

// walk is a task, what its writers have read of it, and the model.
type walk struct {
	*story
	rnd      *rand.Rand
	read     []*task.Record // all that the record ever was
	lost     []*task.Change // applied, but nobody was told
	effects  int
	asks     int
	messages int

	consents map[string]int // to send a call, of policy or of people
	sends    map[string]int
	denied   map[string]bool
	answered map[string]int // answers by interaction

	met map[string]int // what the walk came across
}

func newWalk(t *testing.T, rnd *rand.Rand, met map[string]int) *walk {
	w := &walk{
		story: accepted(t), rnd: rnd, met: met,
		consents: map[string]int{}, sends: map[string]int{}, denied: map[string]bool{}, answered: map[string]int{},
	}
	if rnd.IntN(2) == 0 {
		w.startPushes()
	}
	w.read = append(w.read, w.rec)
	return w
}

// command makes one random command, of the record as it is or as a slow writer read it.
func (w *walk) command() {
	w.t.Helper()
	w.later(time.Duration(w.rnd.IntN(3)) * time.Second)
	r := w.rec
	if w.rnd.IntN(4) == 0 {
		r = w.read[w.rnd.IntN(len(w.read))]
	}
	switch w.rnd.IntN(20) {
	case 0, 1, 2:
		if w.rnd.IntN(4) == 0 {
			w.later(lease + 3*time.Second) // a run stalls or crashes
		}
		at := w.write()
		w.commit(task.Claim(r, claiming(at.ID, at.At)), nil)
	case 3, 4, 5, 6, 7, 8:
		w.commit(task.Advance(r, w.anyStep(r), w.write()))
	case 9, 10, 11:
		w.commit(task.Intent(r, w.anyEffect(r), w.write()))
	case 12, 13:
		w.commit(task.Pause(r, w.anyAsks(r), task.Step{}, w.write()))
	case 14:
		w.commit(task.Takeover(r, w.write()), nil)
	case 15, 16, 17:
		w.reply(r)
	case 18:
		w.rare(r)
	case 19:
		w.unguarded(r)
	}
}

// rare are the commands that end the task or its slice.
func (w *walk) rare(r *task.Record) {
	w.t.Helper()
	ends := []a2a.TaskState{a2a.TaskStateCompleted, a2a.TaskStateFailed, a2a.TaskStateRejected}
	switch w.rnd.IntN(10) {
	case 0:
		w.commit(task.Cancel(r, w.write()))
	case 1:
		end := task.Ending{State: ends[w.rnd.IntN(3)], Message: agentText("The end.")}
		w.commit(task.Finish(r, end, task.Step{}, &task.Turn{}, w.write()))
	case 2, 3:
		w.commit(task.StartPushes(r, w.write()), nil)
	case 4, 5:
		w.expire(r)
	default:
		w.commit(task.Yield(r, w.anyStep(r), w.write()))
	}
}

// unguarded are the writes under no revision: renew, mark, recover.
func (w *walk) unguarded(r *task.Record) {
	w.t.Helper()
	before := w.rec
	next := copyOf(w.t, w.rec)
	switch w.rnd.IntN(3) {
	case 0:
		if r.RunGuard().Holds(w.rec) {
			next.Lease.Until = w.now.Add(lease)
		}
	case 1:
		next = w.rec.Marked(r.Revision, r.LastStatus)
	case 2:
		if !w.rec.Wake.IsZero() && r.Wake.Equal(w.rec.Wake) {
			next.Wake = w.now.Add(task.WakeAfter)
		}
	}
	w.rec = next
	w.checkRecord()
	if before.Pushed != nil && *w.rec.Pushed < *before.Pushed {
		w.t.Fatalf("the mark fell from %d to %d", *before.Pushed, *w.rec.Pushed)
	}
}

func (w *walk) anyStep(r *task.Record) task.Step {
	var s task.Step
	if w.rnd.IntN(4) == 0 {
		s.Patience = patience
	}
	classes := []task.EffectClass{task.ClassRead, task.ClassIdempotent, task.ClassWrite, task.ClassWrite}
	states := []task.EffectState{task.EffectHeld, task.EffectHeld, task.EffectApproved}
	switch w.rnd.IntN(3) {
	case 0:
		w.effects++
		id := fmt.Sprintf("eff_%d", w.effects)
		s.Plan = []task.Effect{effect(id, classes[w.rnd.IntN(4)], states[w.rnd.IntN(3)])}
	case 1:
		s.Settle = []string{w.anyEffect(r)}
	case 2:
		s.Events = []task.Event{{Status: &a2a.TaskStatus{Message: agentText("On it.")}}, {Message: agentText("A word.")}}
	}
	return s
}

func (w *walk) anyEffect(r *task.Record) string {
	for _, id := range slices.Sorted(maps.Keys(r.Effects)) { // the same walk for the same seed
		if w.rnd.IntN(3) == 0 {
			return id
		}
	}
	return fmt.Sprintf("eff_%d", 1+w.rnd.IntN(w.effects+1))
}

func (w *walk) anyAsks(r *task.Record) []interaction.Interaction {
	var all []interaction.Interaction
	for range w.rnd.IntN(3) {
		w.asks++
		all = append(all, question(fmt.Sprintf("ask_%d", w.asks)))
	}
	if w.rnd.IntN(2) == 0 {
		all = append(all, approval(w.anyEffect(r)))
	}
	return all
}

// reply answers what the writer saw open, or says something else.
func (w *walk) reply(r *task.Record) {
	w.t.Helper()
	w.messages++
	id := fmt.Sprintf("m-%d", w.messages)
	open, ok := r.Open()
	m := text(id, "words")
	if ok && w.rnd.IntN(4) != 0 {
		m = reply(id, open.ID, fmt.Sprintf(`"approved":%v`, w.rnd.IntN(3) != 0))
	}
	a := answering(w.t, m)
	if ok {
		a.Open = &open
	}
	w.commit(task.Answer(r, a, w.write()))
}

// commit writes a change as a store does.
func (w *walk) commit(c *task.Change, err error) {
	w.t.Helper()
	if err != nil || c == nil {
		return
	}
	w.checkLost()
	if !c.Guard.Admits(w.rec) {
		w.met["a stale write"]++
		if c.Guard.LeaseID != "" && task.Resolve(c, w.rec) == task.Applied {
			w.t.Fatalf("write %s was refused, and told as applied", c.Next.Writes[len(c.Next.Writes)-1])
		}
		return
	}
	before := w.rec
	w.took(c, nil)
	w.read = append(w.read, w.rec)
	w.checkRecord()
	w.checkChange(before, c)
	if c.Guard.LeaseID != "" && w.rnd.IntN(3) == 0 {
		w.lost = append(w.lost, c)
	}
}

// checkLost repeats a write that was applied: it must be known for that as long as the ring goes.
func (w *walk) checkLost() {
	w.t.Helper()
	for _, c := range w.lost {
		switch task.Resolve(c, w.rec) {
		case task.Applied:
			w.met["an applied write"]++
		case task.Lost:
			w.met["a lost run"]++
		}
		if task.Resolve(c, w.rec) == task.Repeat && w.rec.Revision <= c.Guard.Revision+8 {
			w.t.Fatalf("the write of revision %d was applied, and at revision %d is to be repeated", c.Guard.Revision+1, w.rec.Revision)
		}
	}
	if len(w.lost) > 5 {
		w.lost = w.lost[1:]
	}
}

// checkRecord holds the record against itself.
func (w *walk) checkRecord() {
	w.t.Helper()
	r := w.rec
	state := r.Status.State
	w.met[string(state)]++
	if len(r.Writes) == 8 {
		w.met["a full ring"]++
	}
	open, isOpen := r.Open()
	due := r.Live() || r.Owes() || !r.Expires.IsZero()
	for _, check := range []struct {
		ok   bool
		what string
	}{
		{r.Lease == nil || state == a2a.TaskStateWorking, "only a working task has a lease"},
		{isOpen == state.Interrupted(), "an interaction is open while the task is paused, and only then"},
		{!isOpen || open.Kind.State() == state, "the state is that of the open interaction"},
		{!state.Terminal() || len(r.Pending) == 0, "nothing waits when the task has ended"},
		{r.Expires.IsZero() || isOpen, "only an open interaction expires"},
		{r.Wake.IsZero() != due, "wake is set while something is to be done, and only then"},
		{len(r.Writes) <= 8, "the ring holds eight"},
		{uint64(len(w.events)) == r.Events, "the record counts all events"},
		{!r.Bare, "no task is bare"},
	} {
		if !check.ok {
			w.t.Fatalf("at revision %d, in state %s: broken: %s\n%+v", r.Revision, state, check.what, r)
		}
	}
	var last *a2a.TaskStatus
	for i, e := range w.events {
		if e.Seq != uint64(i+1) {
			w.t.Fatalf("event %d is numbered %d", i+1, e.Seq)
		}
		if e.Status != nil {
			last = e.Status
			if e.Seq > r.LastStatus {
				w.t.Fatalf("status %d is newer than the last, %d", e.Seq, r.LastStatus)
			}
		}
	}
	if d := diff(*last, r.Status); d != "" {
		w.t.Fatalf("the status is not the last event's (-event +record):\n%s", d)
	}
	for _, i := range r.Pending {
		if e := r.Effects[i.EffectID()]; i.Kind == interaction.Approval && e.State != task.EffectHeld && e.State != task.EffectUnknown {
			w.t.Fatalf("%s waits for the call %+v", i.ID, e)
		}
	}
}

// checkChange holds what a write did against the model.
func (w *walk) checkChange(before *task.Record, c *task.Change) {
	w.t.Helper()
	r := w.rec
	if r.Revision != before.Revision+1 || r.Fence < before.Fence || r.Fence > before.Fence+1 {
		w.t.Fatalf("revision went from %d to %d, fence from %d to %d", before.Revision, r.Revision, before.Fence, r.Fence)
	}
	if before.Status.State.Terminal() && r.Status.State != before.Status.State {
		w.t.Fatalf("a task that was %s became %s", before.Status.State, r.Status.State)
	}
	if len(r.Seen) < len(before.Seen) || len(r.Seen) > len(before.Seen)+1 {
		w.t.Fatalf("%d answers are remembered after %d", len(r.Seen), len(before.Seen))
	}
	for id, s := range r.Seen {
		if _, old := before.Seen[id]; old {
			continue
		}
		if w.answered[s.Interaction]++; w.answered[s.Interaction] > 1 {
			w.t.Fatalf("%s was answered twice", s.Interaction)
		}
	}
	for id, e := range r.Effects {
		w.checkEffect(before, before.Effects[id], e)
	}
}

// checkEffect follows one call: it goes out at most once for each consent, never after a denial.
func (w *walk) checkEffect(before *task.Record, was, is task.Effect) {
	w.t.Helper()
	if was == is {
		return
	}
	w.met[string(is.State)]++
	switch is.State {
	case task.EffectHeld:
		if was.ID != "" {
			w.t.Fatalf("%+v became held", was)
		}
	case task.EffectApproved:
		w.consents[is.ID]++
	case task.EffectDenied:
		w.denied[is.ID] = true
	case task.EffectSent:
		if w.sends[is.ID]++; is.Class == task.ClassWrite && w.sends[is.ID] > w.consents[is.ID] {
			w.t.Fatalf("%s went out %d times on %d consents", is.ID, w.sends[is.ID], w.consents[is.ID])
		}
		if w.sends[is.ID] > 1 {
			w.met["sent again"]++
		}
		if w.denied[is.ID] || is.Fence != before.Fence || before.Lease == nil {
			w.t.Fatalf("%s went out after a denial, or not by the run: %+v", is.ID, is)
		}
	case task.EffectUnknown:
		if was.State != task.EffectSent || was.Fence >= before.Fence || is.Class != task.ClassWrite {
			w.t.Fatalf("%+v became unknown", was)
		}
	}
}

// expire closes an interaction as recovery's poke would: it is no consent.
func (w *walk) expire(r *task.Record) {
	w.t.Helper()
	w.later(patience)
	open, _ := r.Open()
	c, err := task.Expire(r, w.write())
	if c != nil && c.Guard.Admits(w.rec) {
		if w.answered[open.ID]++; w.answered[open.ID] > 1 {
			w.t.Fatalf("%s expired though it was answered", open.ID)
		}
		w.met["expired"]++
	}
	w.commit(c, err)
}
