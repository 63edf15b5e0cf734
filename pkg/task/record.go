package task

import (
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// Scope is whose a task or a conversation is. No store can be asked for one without both.
// Owner is an authenticated subject, never a replica.
type Scope struct {
	Tenant string `json:"tenant,omitempty"`
	Owner  string `json:"owner,omitempty"`
}

// Key names one task.
type Key struct {
	Scope
	ID string `json:"id"`
}

// Record is the truth about one task (STORE-01): everything but its events and journal, which
// stand beside it. The package documentation says how each field is written.
type Record struct {
	Key
	ContextID string `json:"contextId"`
	// Born is random at creation and part of every effect id, so that a task made again under
	// the same derived id inherits nothing.
	Born string `json:"born"`
	// Request is the content hash of the message that created the task.
	Request string         `json:"request"`
	Status  a2a.TaskStatus `json:"status"`

	Revision uint64   `json:"revision"` // +1 by every write except renew, mark and recover
	Fence    uint64   `json:"fence"`    // +1 by claim and cancel; starts at the creation time
	Lease    *Lease   `json:"lease,omitempty"`
	Writes   []string `json:"writes,omitempty"` // write ids of the last eight revisions since the claim

	Run     Run                       `json:"run"`
	Pending []interaction.Interaction `json:"pending,omitempty"` // oldest first; the first is open while paused
	Expires time.Time                 `json:"expires,omitzero"`  // of the open one; zero: never
	Seen    map[string]Seen           `json:"seen,omitempty"`    // answers taken, by messageId
	Effects map[string]Effect         `json:"effects,omitempty"` // planned and not settled, by id

	Events     uint64  `json:"events"`           // number of the last event
	LastStatus uint64  `json:"lastStatus"`       // number of the last status event
	Pushed     *uint64 `json:"pushed,omitempty"` // last status handed to the push queue; nil: no push configs

	Attempts int       `json:"attempts,omitempty"` // claims since the last progress
	Hops     int       `json:"hops,omitempty"`     // slices since the last answer
	Wake     time.Time `json:"wake,omitzero"`      // when recovery looks at the task; zero: nothing is due

	Shown bool `json:"shown,omitempty"` // the caller knows of the task
	Bare  bool `json:"bare,omitempty"`  // ended as a bare message: not listed

	CreatedAt time.Time `json:"createdAt"`
	UpdatedAt time.Time `json:"updatedAt"`
}

// Lease is a worker's hold on a task (LEASE-01). Its id is fresh for every claim.
type Lease struct {
	ID      string    `json:"id"`
	Replica string    `json:"replica"` // for people to read (SRV-18)
	Until   time.Time `json:"until"`
}

// RunKind says how a run began (STORE-13).
type RunKind string

// A message started the run, or an answer continued it.
const (
	RunInvoke RunKind = "invoke"
	RunResume RunKind = "resume"
)

// Run is what a working task was asked to do, so that any replica can carry it on (STORE-13). The
// answers stand in the journal, under [AnswerRows].
type Run struct {
	Kind      RunKind          `json:"kind"`
	Principal access.Principal `json:"principal"`
	// Conversation is the version of the context's transcript that the run reads; nil until the
	// run's first write pins it.
	Conversation *uint64 `json:"conversation,omitempty"`
	// Journaled says that the agent left a checkpoint (LEASE-04).
	Journaled bool `json:"journaled,omitempty"`
	// Patience is how long each of the run's interactions stays open; zero: for good.
	Patience time.Duration `json:"patience,omitempty"`
	// Streams says that a caller reads the text as it is written.
	Streams bool `json:"streams,omitempty"`
	// OutputModes are the media types the caller accepts, if it named any.
	OutputModes []string `json:"outputModes,omitempty"`
}

// Seen is an answer that was taken.
type Seen struct {
	Hash        string `json:"hash"`
	Interaction string `json:"interaction"`
	Event       uint64 `json:"event"` // of the answer's message
}

// EffectClass says what sending an effect's call twice would do.
type EffectClass string

// The classes of effects.
const (
	ClassRead       EffectClass = "read"
	ClassIdempotent EffectClass = "idempotent"
	ClassWrite      EffectClass = "write"
)

// repeatable reports whether a call may be sent again without asking. A class that is none of
// these is taken for a write.
func (c EffectClass) repeatable() bool { return c == ClassRead || c == ClassIdempotent }

// EffectState says where a planned call stands.
type EffectState string

// The states of an effect. One that is settled leaves the record.
const (
	EffectHeld     EffectState = "held"     // waits for a person
	EffectApproved EffectState = "approved" // may be sent
	EffectDenied   EffectState = "denied"   // must not be sent; the agent has not settled it yet
	EffectSent     EffectState = "sent"     // its call may have gone out
	EffectUnknown  EffectState = "unknown"  // sent by a lost run; a person is asked
)

// Effect is one call of a tool that the agent planned. What is called and with which arguments
// stands in the agent's own journal.
type Effect struct {
	ID    string      `json:"id"`
	Class EffectClass `json:"class"`
	State EffectState `json:"state"`
	Fence uint64      `json:"fence,omitempty"` // of the run that sent it
	Round int         `json:"round,omitempty"` // times a person was asked about it
	// Server and Tool name the call for the question whether to send it again.
	Server string `json:"server,omitempty"`
	Tool   string `json:"tool,omitempty"`
}

// Event is one durable step of a task's story. Exactly one of Message, Status and Artifact is set.
type Event struct {
	Seq      uint64          `json:"seq"`
	At       time.Time       `json:"at"`
	Message  *a2a.Message    `json:"message,omitempty"`
	Status   *a2a.TaskStatus `json:"status,omitempty"`
	Artifact *Piece          `json:"artifact,omitempty"`
}

// Piece is an artifact or a finished piece of one.
type Piece struct {
	Artifact  a2a.Artifact `json:"artifact"`
	Append    bool         `json:"append,omitempty"`    // to the artifact of that id
	LastChunk bool         `json:"lastChunk,omitempty"` // of an artifact in pieces
}

// Row is one entry of a task's journal. A later row of the same name replaces an earlier one.
type Row struct {
	Name  string `json:"name"`
	Value []byte `json:"value"`
}

// The journal's two parts: answers, written when they are taken, and the agent's own rows.
const (
	AnswerRows = "answer/"
	AgentRows  = "agent/"
)

// Turn is what a completed task adds to its context's conversation.
type Turn struct {
	ContextID string
	Version   uint64 // of the conversation as it was last read
	Messages  []a2a.Message
}

// Transcript is a context's conversation: what its completed tasks said, oldest first.
type Transcript struct {
	Version  uint64 // number of turns
	Messages []a2a.Message
}
