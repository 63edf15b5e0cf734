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

// Metadata holds free JSON values by key, kept exactly as they were written.
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
