package task

import (
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Guard is what a write is conditioned on. A run's write names its fence and lease; a caller's
// has no LeaseID and is conditioned on the revision alone.
type Guard struct {
	Revision uint64
	Fence    uint64
	LeaseID  string
}

// Guard is the condition of a caller's write on r.
func (r *Record) Guard() Guard { return Guard{Revision: r.Revision} }

// RunGuard is the condition of a write on r by the run that holds it.
func (r *Record) RunGuard() Guard {
	g := Guard{Revision: r.Revision, Fence: r.Fence}
	if r.Lease != nil {
		g.LeaseID = r.Lease.ID
	}
	return g
}

// ErrNotHeld says that a run's rule was asked about a task that no run holds: it was let go, or
// never claimed.
var ErrNotHeld = errors.New("task: no run holds the task")

// Admits reports whether a write under g may change r.
func (g Guard) Admits(r *Record) bool {
	return r.Revision == g.Revision && (g.LeaseID == "" || g.Holds(r))
}

// Holds reports whether the run g names still has r: the condition of a renewal.
func (g Guard) Holds(r *Record) bool {
	return r.Fence == g.Fence && r.Lease != nil && r.Lease.ID == g.LeaseID
}

// Change is one transition of a task, made by the rules of this package and applied by a store in
// one atomic step.
type Change struct {
	Guard Guard
	// Next is the record as it will be. Its lease's end, Pushed and Wake are not guarded by the
	// revision: see Apply.
	Next      Record
	SetPushed bool
	SetWake   bool

	Events []Event // numbered up to Next.Events
	Rows   []Row
	Turn   *Turn // set on completion
}

// Apply is the record that c makes of the one it met. What renewals, marks and recovery write
// under no revision is kept from current unless c means to set it.
func (c *Change) Apply(current *Record) *Record {
	next := c.Next.clone()
	if next.Lease != nil && current.Lease != nil && next.Lease.ID == current.Lease.ID {
		next.Lease.Until = current.Lease.Until
	}
	if !c.SetPushed {
		next.Pushed = current.Pushed
	}
	if !c.SetWake {
		next.Wake = current.Wake
	}
	return next
}

// keptWrites is how many revisions a refused run can look back on.
const keptWrites = 8

// Write names one attempt to change a task: the id it can be recognised by, and when.
type Write struct {
	ID string
	At time.Time
}

// begin makes the change that leaves r as it is but for its revision.
func begin(r *Record, g Guard, w Write) *Change {
	next := r.clone()
	next.Revision++
	next.Writes = append(next.Writes, w.ID)
	if n := len(next.Writes) - keptWrites; n > 0 {
		next.Writes = next.Writes[n:]
	}
	next.UpdatedAt = stamp(w.At)
	return &Change{Guard: g, Next: *next}
}

// beginRun is begin for the run that holds r.
func beginRun(r *Record, w Write) (*Change, error) {
	if r.Lease == nil {
		return nil, ErrNotHeld
	}
	return begin(r, r.RunGuard(), w), nil
}

// stamp is t as records and events have it: UTC, milliseconds, no monotonic reading.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// add appends events, numbering them.
func (c *Change) add(at time.Time, events ...Event) {
	for _, e := range events {
		c.Next.Events++
		e.Seq, e.At = c.Next.Events, stamp(at)
		if e.Status != nil {
			c.Next.LastStatus = e.Seq
			c.Next.Status = *e.Status
		}
		c.Events = append(c.Events, e)
	}
}

// status moves the task to a state, with the agent's message if it has one.
func (c *Change) status(at time.Time, state a2a.TaskState, m *a2a.Message) {
	c.add(at, Event{Status: &a2a.TaskStatus{State: state, Message: m, Timestamp: stamp(at)}})
}

// wake sets when recovery looks at the task: a while from now if it has anything left to do, else
// when its open interaction expires.
func (c *Change) wake(at time.Time) {
	c.SetWake = true
	c.Next.Wake = c.Next.Expires
	if c.Next.Live() || c.Next.Owes() {
		c.Next.Wake = stamp(at).Add(WakeAfter)
	}
}

func (r *Record) clone() *Record {
	next := *r
	if r.Lease != nil {
		next.Lease = new(*r.Lease)
	}
	next.Writes = slices.Clone(r.Writes)
	next.Pending = slices.Clone(r.Pending)
	next.Seen = maps.Clone(r.Seen)
	next.Effects = maps.Clone(r.Effects)
	return &next
}
