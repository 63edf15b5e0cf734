package a2a

import "encoding/json"

// Error is an error as A2A carries it on any binding (ERR-05). Message is for callers and never
// holds internal text. It is made by the
// constructors of this package.
type Error struct {
	Code    int    // JSON-RPC code
	Message string // for the caller
	// Metadata goes into the ErrorInfo detail.
	Metadata map[string]string
	// Violations go into a BadRequest detail; only for CodeInvalidParams.
	Violations []FieldViolation
	// Data is what a remote agent sent with its error, as it wrote it: data on JSON-RPC, details on
	// HTTP+JSON. It is nil for errors made here, and not sent on.
	Data json.RawMessage
}

// FieldViolation names a bad field of a request.
type FieldViolation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
}

// Error is the message, with the bad fields.
func (e *Error) Error() string {
	text := e.Message
	for i, v := range e.Violations {
		if i == 0 {
			text += ": "
		} else {
			text += "; "
		}
		text += v.Field + " " + v.Description
	}
	return text
}

// JSON-RPC codes (ERR-01, ERR-02, ERR-06).
const (
	CodeParseError                   = -32700
	CodeInvalidRequest               = -32600
	CodeMethodNotFound               = -32601
	CodeInvalidParams                = -32602
	CodeInternal                     = -32603
	CodeTaskNotFound                 = -32001
	CodeTaskNotCancelable            = -32002
	CodePushNotificationNotSupported = -32003
	CodeUnsupportedOperation         = -32004
	CodeContentTypeNotSupported      = -32005
	CodeInvalidAgentResponse         = -32006
	CodeExtendedCardNotConfigured    = -32007
	CodeExtensionSupportRequired     = -32008
	CodeVersionNotSupported          = -32009
	CodePermissionDenied             = -32099
	CodeResourceExhausted            = -32000
)
