package a2a

import "net/http"

// status is how an error code is carried outside JSON-RPC.
type status struct {
	http   int
	grpc   string
	reason string
}

// statuses is the table of A2A 1.0.1 (SPEC-14). A2A gives JSON-RPC's own codes no reason; those
// here are the official Go SDK's.
var statuses = map[int]status{
	CodeParseError:                   {http.StatusBadRequest, "INVALID_ARGUMENT", "PARSE_ERROR"},
	CodeInvalidRequest:               {http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_REQUEST"},
	CodeMethodNotFound:               {http.StatusNotFound, "UNIMPLEMENTED", "METHOD_NOT_FOUND"},
	CodeInvalidParams:                {http.StatusBadRequest, "INVALID_ARGUMENT", "INVALID_PARAMS"},
	CodeInternal:                     {http.StatusInternalServerError, "INTERNAL", "INTERNAL_ERROR"},
	CodeTaskNotFound:                 {http.StatusNotFound, "NOT_FOUND", "TASK_NOT_FOUND"},
	CodeTaskNotCancelable:            {http.StatusBadRequest, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE"},
	CodePushNotificationNotSupported: {http.StatusBadRequest, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED"},
	CodeUnsupportedOperation:         {http.StatusBadRequest, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION"},
	CodeContentTypeNotSupported:      {http.StatusBadRequest, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED"},
	CodeInvalidAgentResponse:         {http.StatusInternalServerError, "INTERNAL", "INVALID_AGENT_RESPONSE"},
	CodeExtendedCardNotConfigured:    {http.StatusBadRequest, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED"},
	CodeExtensionSupportRequired:     {http.StatusBadRequest, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED"},
	CodeVersionNotSupported:          {http.StatusBadRequest, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED"},
	CodePermissionDenied:             {http.StatusForbidden, "PERMISSION_DENIED", "PERMISSION_DENIED"},
	CodeResourceExhausted:            {http.StatusTooManyRequests, "RESOURCE_EXHAUSTED", "RESOURCE_EXHAUSTED"},
}

var codes = func() map[string]int {
	codes := make(map[string]int, len(statuses))
	for code, s := range statuses {
		codes[s.reason] = code
	}
	return codes
}()

// ErrorStatus is how an error code is carried on HTTP+JSON and gRPC (ERR-03): the HTTP status, the
// name of the gRPC status, and the ErrorInfo reason. An unknown code is an internal error.
func ErrorStatus(code int) (httpStatus int, grpcStatus, reason string) {
	s, ok := statuses[code]
	if !ok {
		s = statuses[CodeInternal]
	}
	return s.http, s.grpc, s.reason
}

// ErrorCode is the code of an ErrorInfo reason, or fallback for one that is not known (ERR-04).
func ErrorCode(reason string, fallback int) int {
	if code, ok := codes[reason]; ok {
		return code
	}
	return fallback
}

// codeOfGRPC is what the name of a gRPC status tells of an error that gives no reason.
var codeOfGRPC = map[string]int{
	"INVALID_ARGUMENT":    CodeInvalidParams,
	"NOT_FOUND":           CodeTaskNotFound,
	"FAILED_PRECONDITION": CodeUnsupportedOperation,
	"UNIMPLEMENTED":       CodeUnsupportedOperation,
	"PERMISSION_DENIED":   CodePermissionDenied,
	"RESOURCE_EXHAUSTED":  CodeResourceExhausted,
}

// codeOfHTTP is the same for an HTTP status, 1.0.0's included.
var codeOfHTTP = map[int]int{
	http.StatusBadRequest:           CodeInvalidParams,
	http.StatusForbidden:            CodePermissionDenied,
	http.StatusTooManyRequests:      CodeResourceExhausted,
	http.StatusNotFound:             CodeTaskNotFound,
	http.StatusMethodNotAllowed:     CodeMethodNotFound,
	http.StatusNotImplemented:       CodeUnsupportedOperation,
	http.StatusConflict:             CodeTaskNotCancelable,
	http.StatusUnsupportedMediaType: CodeContentTypeNotSupported,
	http.StatusBadGateway:           CodeInvalidAgentResponse,
}

// CodeOfGRPCStatus is the code of an error that gives no reason, by the name of its gRPC status,
// such as NOT_FOUND: the likeliest one, [CodeInternal] for a status that tells nothing.
func CodeOfGRPCStatus(name string) int {
	if code, ok := codeOfGRPC[name]; ok {
		return code
	}
	return CodeInternal
}

// CodeOfHTTPStatus is the code of an error that gives no reason, by its HTTP status: the likeliest
// one, [CodeInternal] for a status that tells nothing.
func CodeOfHTTPStatus(status int) int {
	if code, ok := codeOfHTTP[status]; ok {
		return code
	}
	return CodeInternal
}
