package grpc

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/protoadapt"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
)

// errorDomain is that of A2A's errors (SPEC-13).
const errorDomain = "a2a-protocol.org"

// statusOf is an error as gRPC carries it (ERR-03, GRPC-03).
func statusOf(e *a2a.Error) error {
	_, name, reason := a2a.ErrorStatus(e.Code)
	info := &errdetails.ErrorInfo{Reason: reason, Domain: errorDomain, Metadata: make(map[string]string, len(e.Metadata))}
	for name, value := range e.Metadata {
		info.Metadata[text(name)] = text(value)
	}
	details := []protoadapt.MessageV1{info}
	if len(e.Violations) > 0 {
		bad := &errdetails.BadRequest{}
		for _, v := range e.Violations {
			bad.FieldViolations = append(bad.FieldViolations, &errdetails.BadRequest_FieldViolation{Field: text(v.Field), Description: text(v.Description)})
		}
		details = append(details, bad)
	}
	s := status.New(codeOf(name), text(e.Message))
	if with, err := s.WithDetails(details...); err == nil {
		s = with
	}
	return s.Err()
}

// text is what a message can hold of what a caller sent: metadata may be of any bytes.
func text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// codeOf is the code of a status by its name.
func codeOf(name string) codes.Code {
	var c codes.Code
	if c.UnmarshalJSON([]byte(strconv.Quote(name))) != nil {
		return codes.Internal
	}
	return c
}

// unauthenticated is the status of a caller whom nobody knows, with the challenge as metadata,
// or could be asked about.
func unauthenticated(ctx context.Context, err error) error {
	var nobody *access.Unauthenticated
	if errors.As(err, &nobody) {
		_ = grpc.SetHeader(ctx, metadata.Pairs("www-authenticate", nobody.Challenge)) // fails only where the call is over
		return status.Error(codes.Unauthenticated, "Authentication is required")
	}
	var e *a2a.Error
	if errors.As(err, &e) {
		return statusOf(e)
	}
	return status.Error(codes.Internal, "Internal error")
}
