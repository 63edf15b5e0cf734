package a2a

import "encoding/json"

// Role says who a message is from (WIRE-02).
type Role string

// The two roles.
const (
	RoleUser  Role = "ROLE_USER"
	RoleAgent Role = "ROLE_AGENT"
)

// Message is one message between a caller and an agent (WIRE-05).
type Message struct {
	MessageID        string   `json:"messageId"`
	ContextID        string   `json:"contextId,omitempty"`
	TaskID           string   `json:"taskId,omitempty"`
	Role             Role     `json:"role"`
	Parts            []Part   `json:"parts"`
	Metadata         Metadata `json:"metadata,omitempty"`
	Extensions       []string `json:"extensions,omitempty"`
	ReferenceTaskIDs []string `json:"referenceTaskIds,omitempty"`
}

// Part is one piece of a message or an artifact (WIRE-04). Its content is exactly one of
// [Text], [Data], [URL] and [Raw].
type Part struct {
	Content   Content
	MediaType string
	Filename  string
	Metadata  Metadata
}

// Content is what a part holds: [Text], [Data], [URL] or [Raw].
type Content interface{ content() }

type (
	// Text is plain text.
	Text string
	// Data is one JSON value of any kind, null included, kept exactly as it was written.
	Data json.RawMessage
	// URL is a file to be fetched from an address.
	URL string
	// Raw is a file's bytes; base64 in JSON.
	Raw []byte
)

func (Text) content() {}
func (Data) content() {}
func (URL) content()  {}
func (Raw) content()  {}
