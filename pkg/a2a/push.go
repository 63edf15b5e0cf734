package a2a

// TaskPushNotificationConfig names a webhook for a task's updates (PUSH-01, R-17).
type TaskPushNotificationConfig struct {
	Tenant         string              `json:"tenant,omitempty"`
	ID             string              `json:"id,omitempty"`
	TaskID         string              `json:"taskId,omitempty"`
	URL            string              `json:"url"`
	Token          string              `json:"token,omitempty"`
	Authentication *AuthenticationInfo `json:"authentication,omitempty"`
	// Nested says that a caller gave the config nested in pushNotificationConfig, as drafts of the
	// protocol had it. It is then written both ways; a store keeps it false.
	Nested bool `json:"-"`
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

// draftConfig is the name under which drafts of the protocol nest a config.
const draftConfig = "pushNotificationConfig"

// MarshalJSON implements [json.Marshaler].
func (c TaskPushNotificationConfig) MarshalJSON() ([]byte, error) {
	type fields TaskPushNotificationConfig
	if !c.Nested {
		return Marshal(fields(c))
	}
	inner := fields(c)
	inner.Tenant, inner.TaskID = "", ""
	return Marshal(struct {
		fields
		Draft fields `json:"pushNotificationConfig"`
	}{fields(c), inner})
}

func (c *TaskPushNotificationConfig) read(o *object) {
	c.Tenant = o.text("tenant")
	c.TaskID = o.id("taskId")
	if o.parent == nil { // Sent with a message, the task is that of the message.
		o.demand("taskId", c.TaskID != "", "is required")
	}
	draft, nested := o.objectField(draftConfig)
	if _, flat := o.field("url"); nested && !flat {
		c.Nested = true
		c.readConfig(draft)
		return
	}
	c.readConfig(o)
}

// readConfig reads what a flat and a nested config have in common.
func (c *TaskPushNotificationConfig) readConfig(o *object) {
	c.ID = o.id("id")
	c.URL = o.text("url")
	c.Token = o.headerText("token")
	c.Authentication = child[AuthenticationInfo](o, "authentication")
	o.demand("url", c.URL != "", "is required")
}

func (a *AuthenticationInfo) read(o *object) {
	a.Scheme = o.headerText("scheme")
	a.Credentials = o.headerText("credentials")
	o.demand("scheme", a.Scheme != "", "is required")
}

func (r *GetTaskPushNotificationConfigRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	r.TaskID = o.requiredID("taskId")
	r.ID = o.requiredID("id")
}

func (r *ListTaskPushNotificationConfigsRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	r.TaskID = o.requiredID("taskId")
	r.PageSize = o.count("pageSize")
	r.PageToken = o.text("pageToken")
	o.demand("pageSize", r.PageSize == 0 || inPageSize(r.PageSize), "must be 1 to 100")
}

func (r *DeleteTaskPushNotificationConfigRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	r.TaskID = o.requiredID("taskId")
	r.ID = o.requiredID("id")
}

// MarshalJSON implements [json.Marshaler].
func (r ListTaskPushNotificationConfigsResponse) MarshalJSON() ([]byte, error) {
	type fields ListTaskPushNotificationConfigsResponse
	r.Configs = orEmpty(r.Configs)
	return Marshal(fields(r))
}

func (r *ListTaskPushNotificationConfigsResponse) read(o *object) {
	r.Configs = list[TaskPushNotificationConfig](o, "configs")
	r.NextPageToken = o.text("nextPageToken")
}
