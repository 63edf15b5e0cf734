package a2a

// Error is an error as A2A carries it on any binding (ERR-05). Message is for callers and never
// holds internal text. It is created by the constructors below.
type Error struct {
	Code    int    // JSON-RPC code
	Message string // for the caller
	// Metadata goes into the ErrorInfo detail.
	Metadata map[string]string
	// Violations go into a BadRequest detail; only for CodeInvalidParams.
	Violations []FieldViolation
}

// FieldViolation names a bad field of a request.
type FieldViolation struct {
	Field       string `json:"field"`
	Description string `json:"description"`
}

func (e *Error) Error() string { return e.Message }

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
)

// ErrTaskNotFound says that the caller has no such task: another's task looks the same.
func ErrTaskNotFound(id string) *Error {
	return &Error{Code: CodeTaskNotFound, Message: "Task not found", Metadata: map[string]string{"taskId": id}}
}

// ErrUnsupported is UnsupportedOperationError with metadata as key, value pairs.
func ErrUnsupported(message string, metadata map[string]string) *Error {
	return &Error{Code: CodeUnsupportedOperation, Message: message, Metadata: metadata}
}

// ErrInvalidParams is InvalidParamsError with one field violation.
func ErrInvalidParams(field, description string) *Error {
	return &Error{Code: CodeInvalidParams, Message: "Invalid parameters", Violations: []FieldViolation{{field, description}}}
}
