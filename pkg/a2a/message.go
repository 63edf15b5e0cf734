package a2a

// Role says who a message is from (WIRE-02).
type Role string

// The two roles.
const (
	RoleUser  Role = "ROLE_USER"
	RoleAgent Role = "ROLE_AGENT"
)

// roles are the roles by their numbers in the proto.
var roles = []Role{"ROLE_UNSPECIFIED", RoleUser, RoleAgent}

// Message is one message between a caller and an agent (WIRE-05).
type Message struct {
	MessageID        string   `json:"messageId"`
	ContextID        string   `json:"contextId,omitempty"`
	TaskID           string   `json:"taskId,omitempty"`
	Role             Role     `json:"role,omitempty"`
	Parts            []Part   `json:"parts"`
	Metadata         Metadata `json:"metadata,omitempty"`
	Extensions       []string `json:"extensions,omitempty"`
	ReferenceTaskIDs []string `json:"referenceTaskIds,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (m Message) MarshalJSON() ([]byte, error) {
	type fields Message
	m.Parts = orEmpty(m.Parts)
	return Marshal(fields(m))
}

func (m *Message) read(o *object) {
	m.MessageID = o.requiredID("messageId")
	m.ContextID = o.id("contextId")
	m.TaskID = o.id("taskId")
	m.Role = enum(o, "role", roles)
	m.Parts = list[Part](o, "parts")
	m.Metadata = o.metadata("metadata")
	m.Extensions = o.texts("extensions")
	m.ReferenceTaskIDs = o.ids("referenceTaskIds")

	o.demand("role", m.Role != "", "is required")
	o.demand("parts", len(m.Parts) > 0, "must have at least one part")
}
