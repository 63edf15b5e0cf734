package a2a

import "time"

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

// ListTasksRequest asks for a page of the caller's tasks (SPEC-07). PageSize nil means the
// default of 50.
type ListTasksRequest struct {
	Tenant               string
	ContextID            string
	Status               TaskState
	PageSize             *int32
	PageToken            string
	HistoryLength        *int32
	StatusTimestampAfter time.Time // zero: no bound; inclusive
	IncludeArtifacts     bool
}

// ListTasksResponse is a page of tasks. All four fields are always present in JSON.
type ListTasksResponse struct {
	Tasks         []Task `json:"tasks"`
	NextPageToken string `json:"nextPageToken"`
	PageSize      int32  `json:"pageSize"`
	TotalSize     int32  `json:"totalSize"`
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

// TaskPushNotificationConfig names a webhook for a task's updates (PUSH-01, R-17).
type TaskPushNotificationConfig struct {
	Tenant         string              `json:"tenant,omitempty"`
	ID             string              `json:"id,omitempty"`
	TaskID         string              `json:"taskId,omitempty"`
	URL            string              `json:"url"`
	Token          string              `json:"token,omitempty"`
	Authentication *AuthenticationInfo `json:"authentication,omitempty"`
}

// AuthenticationInfo is what a delivery authenticates itself with.
type AuthenticationInfo struct {
	Scheme      string `json:"scheme"`
	Credentials string `json:"credentials,omitempty"`
}

// GetTaskPushNotificationConfigRequest asks for one webhook of a task.
type GetTaskPushNotificationConfigRequest struct {
	Tenant string `json:"tenant,omitempty"`
	TaskID string `json:"taskId"`
	ID     string `json:"id"`
}

// ListTaskPushNotificationConfigsRequest asks for a task's webhooks.
type ListTaskPushNotificationConfigsRequest struct {
	Tenant    string `json:"tenant,omitempty"`
	TaskID    string `json:"taskId"`
	PageSize  int32  `json:"pageSize,omitempty"`
	PageToken string `json:"pageToken,omitempty"`
}

// ListTaskPushNotificationConfigsResponse is a page of webhooks.
type ListTaskPushNotificationConfigsResponse struct {
	Configs       []TaskPushNotificationConfig `json:"configs"`
	NextPageToken string                       `json:"nextPageToken"`
}

// DeleteTaskPushNotificationConfigRequest asks for a webhook to be removed.
type DeleteTaskPushNotificationConfigRequest struct {
	Tenant string `json:"tenant,omitempty"`
	TaskID string `json:"taskId"`
	ID     string `json:"id"`
}

// GetExtendedAgentCardRequest asks for the card an authenticated caller may see.
type GetExtendedAgentCardRequest struct {
	Tenant string `json:"tenant,omitempty"`
}
