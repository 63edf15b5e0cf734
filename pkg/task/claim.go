package task

import (
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// The protocol's times.
const (
	// ClaimMargin is how long past a lease's end the task stays untouched, so that clocks that
	// differ, and a run between its last look at the clock and its call, do no harm.
	ClaimMargin = 2 * time.Second

	// CallMargin is how long before its lease's end a run stops making calls.
	CallMargin = 2 * time.Second

	// WakeAfter is when recovery looks at a task after a write that leaves it something to do.
	WakeAfter = 60 * time.Second

	// MaxAttempts is how many claims without progress a task survives.
	MaxAttempts = 5

	// MaxHops is how many slices a turn may take between two answers.
	MaxHops = 50
)

// Claiming is a worker's attempt to take a task.
type Claiming struct {
	Lease Lease
	Now   time.Time
}

// Live reports whether the task is submitted or working: it waits for nobody but a worker.
func (r *Record) Live() bool {
	return r.Status.State == a2a.TaskStateSubmitted || r.Status.State == a2a.TaskStateWorking
}

// Held reports whether a lease keeps others from the task at now.
func (r *Record) Held(now time.Time) bool {
	return r.Lease != nil && !r.Lease.Until.Before(now.Add(-ClaimMargin))
}

// Claim takes r for a run (STORE-07, R-34), or returns nil if it is not live or a lease holds it,
// even the claimer's own. A submitted task starts working.
func Claim(r *Record, c Claiming) *Change {
	if !r.Live() || r.Held(c.Now) {
		return nil
	}
	change := begin(r, r.Guard(), Write{ID: c.Lease.ID, At: c.Now})
	next := &change.Next
	next.Fence++
	next.Lease = &c.Lease
	next.Writes = nil // the lease id tells the claim
	next.Attempts++
	if r.Status.State == a2a.TaskStateSubmitted {
		change.status(c.Now, a2a.TaskStateWorking, nil)
	}
	change.wake(c.Now)
	return change
}

// Poison is why a claimed task must not be worked on, or empty: it was claimed too often without
// progress, or its turn took too many slices.
func (r *Record) Poison() string {
	switch {
	case r.Attempts > MaxAttempts:
		return "The agent failed repeatedly on this task."
	case r.Hops > MaxHops:
		return "The agent did not finish within its budget."
	}
	return ""
}

// Verdict says what became of a refused write.
type Verdict int

// The verdicts of [Resolve].
const (
	Lost    Verdict = iota // the run no longer has the task: stop, silently
	Applied                // the write took effect: go on from the record it met
	Repeat                 // it did not: repeat the same transition on the record it met
)

// Resolve tells, from the record it met, what became of a run's refused write (protocol rule 2).
func Resolve(c *Change, met *Record) Verdict {
	if met == nil {
		return Lost
	}
	applied := wrote(met, c.Guard.Revision+1, c.Next.Writes[len(c.Next.Writes)-1])
	released := c.Next.Lease == nil
	switch {
	case applied && released && met.Fence == c.Guard.Fence:
		return Applied
	case !c.Guard.Holds(met):
		return Lost
	case applied:
		return Applied
	}
	return Repeat
}

// wrote reports whether a revision of r was made by the write of an id. Of revisions older than
// the last eight it is unknown, which counts as no.
func wrote(r *Record, revision uint64, id string) bool {
	first := r.Revision - uint64(len(r.Writes)) + 1
	return revision >= first && revision <= r.Revision && r.Writes[revision-first] == id
}
