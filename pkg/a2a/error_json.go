package a2a

import (
	"encoding/json"
	"net/http"
)

// The details of an error, as google.rpc names them.
const (
	typeErrorInfo  = "type.googleapis.com/google.rpc.ErrorInfo"
	typeBadRequest = "type.googleapis.com/google.rpc.BadRequest"

	errorDomain = "a2a-protocol.org"
)

type errorInfo struct {
	Type     string            `json:"@type"`
	Reason   string            `json:"reason"`
	Domain   string            `json:"domain"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

type badRequest struct {
	Type       string           `json:"@type"`
	Violations []FieldViolation `json:"fieldViolations"`
}

// details are the error's ErrorInfo and, if fields are bad, its BadRequest (SPEC-13).
func (e *Error) details() []any {
	_, _, reason := ErrorStatus(e.Code)
	details := []any{errorInfo{typeErrorInfo, reason, errorDomain, e.Metadata}}
	if len(e.Violations) > 0 {
		details = append(details, badRequest{typeBadRequest, e.Violations})
	}
	return details
}

// MarshalJSON writes the error object of JSON-RPC (SPEC-13).
func (e *Error) MarshalJSON() ([]byte, error) {
	return Marshal(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
		Data    []any  `json:"data"`
	}{e.Code, e.Message, e.details()})
}

// UnmarshalJSON reads the error object of JSON-RPC. The reason decides over the number, and
// any data is kept.
func (e *Error) UnmarshalJSON(b []byte) error {
	var object struct {
		Code    int             `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if err := json.Unmarshal(b, &object); err != nil {
		return err
	}
	*e = Error{Code: object.Code, Message: object.Message, Data: object.Data}
	e.readDetails(object.Data)
	return nil
}

// httpStatuses names the statuses that a server gives whatever the code is.
var httpStatuses = map[int]string{
	http.StatusUnauthorized:       "UNAUTHENTICATED",
	http.StatusTooManyRequests:    "RESOURCE_EXHAUSTED",
	http.StatusServiceUnavailable: "UNAVAILABLE",
}

type httpError struct {
	Code    int    `json:"code"`
	Status  string `json:"status"`
	Message string `json:"message"`
	Details []any  `json:"details"`
}

// EncodeHTTPError is the body of an HTTP+JSON answer with an error: a google.rpc.Status (SPEC-13).
// httpStatus is the answer's, ordinarily that of [ErrorStatus].
func EncodeHTTPError(e *Error, httpStatus int) []byte {
	_, name, _ := ErrorStatus(e.Code)
	if n, ok := httpStatuses[httpStatus]; ok {
		name = n
	}
	// Strings and numbers always encode.
	body, _ := Marshal(map[string]httpError{"error": {httpStatus, name, e.Message, e.details()}})
	return body
}

// DecodeHTTPError reads an HTTP+JSON answer with an error. The reason decides; without one, and for
// a body that is no google.rpc.Status, the status does ([CodeOfHTTPStatus], [CodeOfGRPCStatus]).
func DecodeHTTPError(httpStatus int, body []byte) *Error {
	var answer struct {
		Error struct {
			Status  string          `json:"status"`
			Message string          `json:"message"`
			Details json.RawMessage `json:"details"`
		} `json:"error"`
	}
	e := &Error{Code: CodeOfHTTPStatus(httpStatus)}
	if json.Unmarshal(body, &answer) == nil {
		if httpStatus == http.StatusBadRequest && answer.Error.Status != "" { // Which many errors share.
			e.Code = CodeOfGRPCStatus(answer.Error.Status)
		}
		e.Message, e.Data = answer.Error.Message, answer.Error.Details
		e.readDetails(answer.Error.Details)
	}
	if e.Message == "" {
		e.Message = http.StatusText(httpStatus)
	}
	return e
}

// readDetails takes from an error's details what is understood of them.
func (e *Error) readDetails(raw json.RawMessage) {
	var details []json.RawMessage
	if json.Unmarshal(raw, &details) != nil {
		return
	}
	for _, raw := range details {
		var detail struct {
			errorInfo
			Violations []FieldViolation `json:"fieldViolations"`
		}
		if json.Unmarshal(raw, &detail) != nil {
			continue
		}
		switch detail.Type {
		case typeErrorInfo:
			e.Code = ErrorCode(detail.Reason, e.Code)
			e.Metadata = detail.Metadata
		case typeBadRequest:
			e.Violations = detail.Violations
		}
	}
}
