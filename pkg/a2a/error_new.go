package a2a

// messageInvalidParams is what A2A calls CodeInvalidParams.
const messageInvalidParams = "Invalid parameters"

// ErrParse says that a body is no JSON.
func ErrParse() *Error {
	return &Error{Code: CodeParseError, Message: "Invalid JSON payload"}
}

// ErrInvalidRequest says that a body is JSON but no request.
func ErrInvalidRequest(message string) *Error {
	return &Error{Code: CodeInvalidRequest, Message: message}
}

// ErrMethodNotFound says that there is no such method or route.
func ErrMethodNotFound() *Error {
	return &Error{Code: CodeMethodNotFound, Message: "Method not found"}
}

// ErrInvalidParams is InvalidParamsError with one field violation.
func ErrInvalidParams(field, description string) *Error {
	return &Error{Code: CodeInvalidParams, Message: messageInvalidParams, Violations: []FieldViolation{{field, description}}}
}

// ErrInternal hides a fault of ours. The reference is all a caller gets: with it the fault is found
// in the logs.
func ErrInternal(reference string) *Error {
	return &Error{Code: CodeInternal, Message: "Internal error", Metadata: map[string]string{"reference": reference}}
}

// ErrTaskNotFound says that the caller has no such task: another's task looks the same.
func ErrTaskNotFound(id string) *Error {
	return &Error{Code: CodeTaskNotFound, Message: "Task not found", Metadata: map[string]string{"taskId": id}}
}

// ErrTaskNotCancelable says that a task ended otherwise.
func ErrTaskNotCancelable(id string, state TaskState) *Error {
	return &Error{
		Code:     CodeTaskNotCancelable,
		Message:  "Task cannot be canceled",
		Metadata: map[string]string{"taskId": id, "state": string(state)},
	}
}

// ErrPushNotificationNotSupported says that push notifications are not offered (PUSH-11).
func ErrPushNotificationNotSupported() *Error {
	return &Error{Code: CodePushNotificationNotSupported, Message: "Push notifications are not supported"}
}

// ErrUnsupported is UnsupportedOperationError; metadata may be nil.
func ErrUnsupported(message string, metadata map[string]string) *Error {
	return &Error{Code: CodeUnsupportedOperation, Message: message, Metadata: metadata}
}

// ErrContentTypeNotSupported says that a body's or a part's media type is not taken.
func ErrContentTypeNotSupported(mediaType string) *Error {
	return &Error{
		Code:     CodeContentTypeNotSupported,
		Message:  "Content type not supported",
		Metadata: map[string]string{"mediaType": mediaType},
	}
}

// ErrInvalidAgentResponse says that a remote agent's answer cannot be used.
func ErrInvalidAgentResponse(message string) *Error {
	return &Error{Code: CodeInvalidAgentResponse, Message: message}
}

// ErrExtendedCardNotConfigured says that this caller has no extended card.
func ErrExtendedCardNotConfigured() *Error {
	return &Error{Code: CodeExtendedCardNotConfigured, Message: "Extended agent card not configured"}
}

// ErrExtensionSupportRequired says that the caller did not activate a required extension (SPEC-10).
func ErrExtensionSupportRequired(uri string) *Error {
	return &Error{
		Code:     CodeExtensionSupportRequired,
		Message:  "Extension support required",
		Metadata: map[string]string{"extension": uri},
	}
}

// ErrVersionNotSupported says that the requested protocol version is not spoken here (SPEC-01).
func ErrVersionNotSupported(version string) *Error {
	return &Error{
		Code:     CodeVersionNotSupported,
		Message:  "Protocol version not supported",
		Metadata: map[string]string{"version": version, "supported": ProtocolVersion},
	}
}

// ErrPermissionDenied says that the caller may not act for the tenant it named (ERR-02).
func ErrPermissionDenied() *Error {
	return &Error{Code: CodePermissionDenied, Message: "Permission denied"}
}

// ErrTooManyStreams says that the caller has as many streams open as it may. A2A has no error for
// what a later call may do: this is of JSON-RPC's range for servers, HTTP's 429 and gRPC's
// RESOURCE_EXHAUSTED.
func ErrTooManyStreams() *Error {
	return &Error{Code: CodeResourceExhausted, Message: "Too many streams are open; close one, or try again later"}
}
