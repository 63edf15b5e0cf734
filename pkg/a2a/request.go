package a2a

// SendMessageRequest asks an agent to start or to continue a task.
type SendMessageRequest struct {
	Tenant        string                   `json:"tenant,omitempty"`
	Message       Message                  `json:"message"`
	Configuration SendMessageConfiguration `json:"configuration,omitzero"`
	Metadata      Metadata                 `json:"metadata,omitempty"`
}

// SendMessageConfiguration says what a caller wants back. HistoryLength nil means unset, which is
// not 0 (SPEC-06).
type SendMessageConfiguration struct {
	AcceptedOutputModes        []string                    `json:"acceptedOutputModes,omitempty"`
	TaskPushNotificationConfig *TaskPushNotificationConfig `json:"taskPushNotificationConfig,omitempty"`
	HistoryLength              *int32                      `json:"historyLength,omitempty"`
	ReturnImmediately          bool                        `json:"returnImmediately,omitempty"`
}

// SendMessageResponse is a task or a message, never both.
type SendMessageResponse struct {
	Task    *Task    `json:"task,omitempty"`
	Message *Message `json:"message,omitempty"`
}

// GetTaskRequest asks for one task.
type GetTaskRequest struct {
	Tenant        string `json:"tenant,omitempty"`
	ID            string `json:"id"`
	HistoryLength *int32 `json:"historyLength,omitempty"`
}

// CancelTaskRequest asks for a task to be canceled.
type CancelTaskRequest struct {
	Tenant   string   `json:"tenant,omitempty"`
	ID       string   `json:"id"`
	Metadata Metadata `json:"metadata,omitempty"`
}

// SubscribeToTaskRequest asks for a task's events from now on.
type SubscribeToTaskRequest struct {
	Tenant string `json:"tenant,omitempty"`
	ID     string `json:"id"`
}

// GetExtendedAgentCardRequest asks for the card an authenticated caller may see.
type GetExtendedAgentCardRequest struct {
	Tenant string `json:"tenant,omitempty"`
}

// GetHeldCallRequest asks for the call that an open approval is about. It is of no version of the
// protocol, but of this server.
type GetHeldCallRequest struct {
	Tenant        string `json:"tenant,omitempty"`
	TaskID        string `json:"taskId"`
	InteractionID string `json:"interactionId"`
}

func (r *SendMessageRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	embed(o, "message", &r.Message)
	embed(o, "configuration", &r.Configuration)
	r.Metadata = o.metadata("metadata")
	_, given := o.field("message")
	o.demand("message", given, "is required")
}

func (c *SendMessageConfiguration) read(o *object) {
	c.AcceptedOutputModes = o.texts("acceptedOutputModes")
	c.TaskPushNotificationConfig = child[TaskPushNotificationConfig](o, "taskPushNotificationConfig")
	c.HistoryLength = o.historyLength()
	c.ReturnImmediately = o.boolean("returnImmediately")
}

func (r *SendMessageResponse) read(o *object) {
	r.Task = child[Task](o, "task")
	r.Message = child[Message](o, "message")
	o.oneOf(r.Task != nil, r.Message != nil)
}

func (r *GetTaskRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	r.ID = o.requiredID("id")
	r.HistoryLength = o.historyLength()
}

func (r *CancelTaskRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	r.ID = o.requiredID("id")
	r.Metadata = o.metadata("metadata")
}

func (r *SubscribeToTaskRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	r.ID = o.requiredID("id")
}

func (r *GetHeldCallRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	r.TaskID = o.requiredID("taskId")
	r.InteractionID = o.requiredID("interactionId")
}

func (r *GetExtendedAgentCardRequest) read(o *object) { r.Tenant = o.text("tenant") }
