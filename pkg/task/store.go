package task

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Store keeps tasks, their events and journals, and conversations. Every method is safe for
// concurrent use, and every write is one atomic step conditioned on what its caller read. The
// suite in storetest says the rest.
//
// An error that is none of those named leaves open whether a write took effect: the caller
// repeats it, and [Resolve] tells from the refusal.
type Store interface {
	// Create adds a task with its first events. *[Refused]: the id is taken. [ErrFull]: the
	// store is at its bound.
	Create(ctx context.Context, r *Record, first []Event) error

	// Read returns a task and its events numbered above after, without gaps and up to the
	// record's counter, as of now. [ErrNotFound].
	Read(ctx context.Context, k Key, after uint64) (*Record, []Event, error)

	// Claim takes a task for a run as [Claim] says. *[Refused]: not claimable. hint is the
	// state the task is expected in; a wrong one may cost a store a second write.
	Claim(ctx context.Context, k Key, c Claiming, hint a2a.TaskState) (*Record, error)

	// Renew moves the end of the lease that g names. *[Refused]: the run is lost.
	Renew(ctx context.Context, k Key, g Guard, until time.Time) error

	// Commit applies a change as [Change.Apply] says and returns the record as written.
	// *[Refused]: [Guard.Admits] says no. *[ConversationMoved]: only the turn's version was stale.
	Commit(ctx context.Context, k Key, c *Change) (*Record, error)

	// Mark records that all statuses up to pushed were handed to the push queue, as
	// [Record.Marked] says; revision is that of the record the statuses were read from. Marking
	// less than is marked changes nothing. [ErrNotFound].
	Mark(ctx context.Context, k Key, revision, pushed uint64) error

	// List returns a page of a scope's tasks, newest status first. It may lag behind writes.
	List(ctx context.Context, s Scope, q Query) (Page, error)

	// Journal yields the rows whose names begin with prefix, by name, as of now.
	Journal(ctx context.Context, k Key, prefix string) iter.Seq2[Row, error]

	// Say adds a piece of text of the run that its mark names, which lives for some minutes. That of
	// an earlier run than one that has said something may be dropped.
	Say(ctx context.Context, k Key, t Text) error

	// Said returns the pieces of a run behind a mark, in their order, as of now.
	Said(ctx context.Context, k Key, after TextMark) ([]Text, error)

	// Conversation returns a context's transcript up to a version, as of now; a context nobody
	// used is an empty one.
	Conversation(ctx context.Context, s Scope, contextID string, version uint64) (Transcript, error)

	Recovery
}

// Recovery is the part of a store that finds work whose message was lost. It is the only one that
// reaches across tenants.
type Recovery interface {
	// Due yields tasks whose wake is before now, oldest first. It may lag behind writes.
	Due(ctx context.Context, now time.Time) iter.Seq2[Due, error]

	// Defer moves the wake of a task, if it still is d's. *[Refused]: it is not, or the task is
	// gone.
	Defer(ctx context.Context, d Due, wake time.Time) error
}

// Latest asks for the whole of a conversation.
const Latest = ^uint64(0)

// Errors of a store.
var (
	ErrNotFound = errors.New("task: not found")
	ErrFull     = errors.New("task: the store is full of unfinished tasks")
)

// Refused says that a write's condition failed, with the record that the write met: nil when
// there is none. What to do next is decided from it and never from a second read.
type Refused struct{ Current *Record }

func (*Refused) Error() string { return "task: a condition of the write failed" }

// ConversationMoved says that nothing was written because another task of the context completed
// since the turn's version was read.
type ConversationMoved struct{ Version uint64 }

func (*ConversationMoved) Error() string { return "task: the conversation moved on" }

// Query selects tasks of a scope. Zero fields select all.
type Query struct {
	ContextID string
	State     a2a.TaskState
	After     time.Time // status not before
	From      Cursor    // where the page before ended; zero: the first page
	Limit     int       // tasks a page at most; at least 1
}

// Cursor is a place in a list: the status time and id of its last task.
type Cursor struct {
	At time.Time
	ID string
}

// Page is a part of a list. It may hold fewer tasks than the limit, even none, while Next is set
//
type Page struct {
	Tasks []Listed
	Next  *Cursor // nil: the last page
}

// Listed is a task as a list has it.
type Listed struct {
	Key       Key
	ContextID string
	Status    a2a.TaskStatus
}

// Due is a task that recovery should look at, and the wake that made it due.
type Due struct {
	Key  Key
	Wake time.Time
}

// Recovered says what one recovery did (LEASE-06).
type Recovered struct {
	TookOver []string // ids of the tasks it poked
	Skipped  int      // tasks another recovery took first, or that moved on
}
