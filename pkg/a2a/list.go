package a2a

import "time"

// ListTasksRequest asks for a page of the caller's tasks (SPEC-07). PageSize nil means the
// default of 50.
type ListTasksRequest struct {
	Tenant               string    `json:"tenant,omitempty"`
	ContextID            string    `json:"contextId,omitempty"`
	Status               TaskState `json:"status,omitempty"`
	PageSize             *int32    `json:"pageSize,omitempty"`
	PageToken            string    `json:"pageToken,omitempty"`
	HistoryLength        *int32    `json:"historyLength,omitempty"`
	StatusTimestampAfter time.Time `json:"-"` // zero: no bound; inclusive
	IncludeArtifacts     bool      `json:"includeArtifacts,omitempty"`
}

// ListTasksResponse is a page of tasks. All four fields are always present in JSON.
type ListTasksResponse struct {
	Tasks         []Task `json:"tasks"`
	NextPageToken string `json:"nextPageToken"`
	PageSize      int32  `json:"pageSize"`
	TotalSize     int32  `json:"totalSize"`
}

// MarshalJSON implements [json.Marshaler].
func (r ListTasksRequest) MarshalJSON() ([]byte, error) {
	type fields ListTasksRequest
	after := ""
	if !r.StatusTimestampAfter.IsZero() {
		after = r.StatusTimestampAfter.UTC().Format(time.RFC3339Nano)
	}
	return Marshal(struct {
		fields
		After string `json:"statusTimestampAfter,omitempty"`
	}{fields(r), after})
}

func (r *ListTasksRequest) read(o *object) {
	r.Tenant = o.text("tenant")
	r.ContextID = o.id("contextId")
	r.Status = enum(o, "status", taskStates)
	r.PageSize = o.number("pageSize")
	r.PageToken = o.text("pageToken")
	r.HistoryLength = o.historyLength()
	r.StatusTimestampAfter = o.time("statusTimestampAfter")
	r.IncludeArtifacts = o.boolean("includeArtifacts")
	o.demand("pageSize", r.PageSize == nil || inPageSize(*r.PageSize), "must be 1 to 100")
}

func inPageSize(n int32) bool { return n >= 1 && n <= MaxPageSize }

// MarshalJSON implements [json.Marshaler].
func (r ListTasksResponse) MarshalJSON() ([]byte, error) {
	type fields ListTasksResponse
	r.Tasks = orEmpty(r.Tasks)
	return Marshal(fields(r))
}

func (r *ListTasksResponse) read(o *object) {
	r.Tasks = list[Task](o, "tasks")
	r.NextPageToken = o.text("nextPageToken")
	r.PageSize = o.count("pageSize")
	r.TotalSize = o.count("totalSize")
}
