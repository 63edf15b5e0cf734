package a2a

import (
	"encoding/json"
	"time"
)

// TaskState says where a task stands (WIRE-03).
type TaskState string

// The eight task states.
const (
	TaskStateSubmitted     TaskState = "TASK_STATE_SUBMITTED"
	TaskStateWorking       TaskState = "TASK_STATE_WORKING"
	TaskStateInputRequired TaskState = "TASK_STATE_INPUT_REQUIRED"
	TaskStateAuthRequired  TaskState = "TASK_STATE_AUTH_REQUIRED"
	TaskStateCompleted     TaskState = "TASK_STATE_COMPLETED"
	TaskStateFailed        TaskState = "TASK_STATE_FAILED"
	TaskStateCanceled      TaskState = "TASK_STATE_CANCELED"
	TaskStateRejected      TaskState = "TASK_STATE_REJECTED"
)

// taskStates are the states by their numbers in the proto.
var taskStates = []TaskState{
	"TASK_STATE_UNSPECIFIED", TaskStateSubmitted, TaskStateWorking, TaskStateCompleted, TaskStateFailed,
	TaskStateCanceled, TaskStateInputRequired, TaskStateRejected, TaskStateAuthRequired,
}

// Terminal reports whether nothing can follow s.
func (s TaskState) Terminal() bool {
	switch s {
	case TaskStateCompleted, TaskStateFailed, TaskStateCanceled, TaskStateRejected:
		return true
	}
	return false
}

// Interrupted reports whether s waits for the caller.
func (s TaskState) Interrupted() bool {
	return s == TaskStateInputRequired || s == TaskStateAuthRequired
}

// Metadata holds free JSON values by key, kept as they were written but for the space between
// their tokens.
type Metadata map[string]json.RawMessage

// Task is a unit of work an agent was asked to do (WIRE-07).
type Task struct {
	ID        string     `json:"id"`
	ContextID string     `json:"contextId,omitempty"`
	Status    TaskStatus `json:"status"`
	// Artifacts are left out when nil and written, even if empty, when not: a list without
	// includeArtifacts has no such field at all (SPEC-07).
	Artifacts []Artifact `json:"artifacts,omitzero"`
	History   []Message  `json:"history,omitempty"`
	Metadata  Metadata   `json:"metadata,omitempty"`
}

// TaskStatus is a task's state with the agent's latest message.
type TaskStatus struct {
	State     TaskState
	Message   *Message
	Timestamp time.Time // zero: absent
}

// Artifact is something a task produced (WIRE-06).
type Artifact struct {
	ArtifactID  string   `json:"artifactId"`
	Name        string   `json:"name,omitempty"`
	Description string   `json:"description,omitempty"`
	Parts       []Part   `json:"parts"`
	Metadata    Metadata `json:"metadata,omitempty"`
	Extensions  []string `json:"extensions,omitempty"`
}

func (t *Task) read(o *object) {
	t.ID = o.text("id")
	t.ContextID = o.text("contextId")
	embed(o, "status", &t.Status)
	t.Artifacts = list[Artifact](o, "artifacts")
	t.History = list[Message](o, "history")
	t.Metadata = o.metadata("metadata")

	o.require("id", t.ID != "")
	o.require("status.state", t.Status.State != "")
}

// MarshalJSON implements [json.Marshaler]. The timestamp is UTC, to the millisecond.
func (s TaskStatus) MarshalJSON() ([]byte, error) {
	return Marshal(struct {
		State     TaskState `json:"state,omitempty"`
		Message   *Message  `json:"message,omitempty"`
		Timestamp string    `json:"timestamp,omitempty"`
	}{s.State, s.Message, formatTime(s.Timestamp)})
}

func (s *TaskStatus) read(o *object) {
	s.State = enum(o, "state", taskStates)
	s.Message = child[Message](o, "message")
	s.Timestamp = o.time("timestamp")
}

// MarshalJSON implements [json.Marshaler].
func (a Artifact) MarshalJSON() ([]byte, error) {
	type fields Artifact
	a.Parts = orEmpty(a.Parts)
	return Marshal(fields(a))
}

func (a *Artifact) read(o *object) {
	a.ArtifactID = o.text("artifactId")
	a.Name = o.text("name")
	a.Description = o.text("description")
	a.Parts = list[Part](o, "parts")
	a.Metadata = o.metadata("metadata")
	a.Extensions = o.texts("extensions")
}
