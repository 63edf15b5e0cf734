package a2a

// StreamResponse is one event of a stream or the payload of a push (WIRE-08). Exactly one field
// is set.
type StreamResponse struct {
	Task           *Task                    `json:"task,omitempty"`
	Message        *Message                 `json:"message,omitempty"`
	StatusUpdate   *TaskStatusUpdateEvent   `json:"statusUpdate,omitempty"`
	ArtifactUpdate *TaskArtifactUpdateEvent `json:"artifactUpdate,omitempty"`
}

// TaskStatusUpdateEvent tells of a change of a task's status.
type TaskStatusUpdateEvent struct {
	TaskID    string     `json:"taskId"`
	ContextID string     `json:"contextId"`
	Status    TaskStatus `json:"status"`
	Metadata  Metadata   `json:"metadata,omitempty"`
}

// TaskArtifactUpdateEvent carries an artifact or a piece of one.
type TaskArtifactUpdateEvent struct {
	TaskID    string   `json:"taskId"`
	ContextID string   `json:"contextId"`
	Artifact  Artifact `json:"artifact"`
	Append    bool     `json:"append,omitempty"`
	LastChunk bool     `json:"lastChunk,omitempty"`
	Metadata  Metadata `json:"metadata,omitempty"`
}

func (r *StreamResponse) read(o *object) {
	r.Task = child[Task](o, "task")
	r.Message = child[Message](o, "message")
	r.StatusUpdate = child[TaskStatusUpdateEvent](o, "statusUpdate")
	r.ArtifactUpdate = child[TaskArtifactUpdateEvent](o, "artifactUpdate")
	o.oneOf(r.Task != nil, r.Message != nil, r.StatusUpdate != nil, r.ArtifactUpdate != nil)
}

func (e *TaskStatusUpdateEvent) read(o *object) {
	e.TaskID = o.text("taskId")
	e.ContextID = o.text("contextId")
	embed(o, "status", &e.Status)
	e.Metadata = o.metadata("metadata")
	o.require("taskId", e.TaskID != "")
	o.require("status.state", e.Status.State != "")
}

func (e *TaskArtifactUpdateEvent) read(o *object) {
	e.TaskID = o.text("taskId")
	e.ContextID = o.text("contextId")
	embed(o, "artifact", &e.Artifact)
	e.Append = o.boolean("append")
	e.LastChunk = o.boolean("lastChunk")
	e.Metadata = o.metadata("metadata")
	o.require("taskId", e.TaskID != "")
}
