package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// CallContext is who a call is for and what carries it (SRV-22).
type CallContext struct {
	Principal access.Principal
	Binding   string // such as [a2a.BindingJSONRPC]
	// Extensions are the URIs that the call activates (SPEC-02).
	Extensions []string
	// IdempotencyKey, if any, makes a new message's repeat answer with the first one's task.
	IdempotencyKey string
	// LastEventID is that of the last event that a follower saw, to continue behind it.
	LastEventID string

	streams bool // the answer is a stream
}

// scope is whose tasks the call may see.
func (c CallContext) scope() task.Scope {
	return task.Scope{Tenant: c.Principal.Tenant, Owner: c.Principal.Subject}
}

func (c CallContext) key(id string) task.Key { return task.Key{Scope: c.scope(), ID: id} }

// Outcome is a call's answer: a result or an error (SRV-23).
type Outcome struct {
	Result any    // for a2a.Marshal
	Events Events // a stream instead of a result; to be gone through once
	Err    *a2a.Error
	// Unauthenticated, beside Err, says that the caller has to prove who it is.
	Unauthenticated *access.Unauthenticated
	// Extensions are the URIs that were activated, for the answer's header (SPEC-02).
	Extensions []string
}

// Call runs one method by its A2A name, with params as the protocol's JSON has them (SRV-21).
// It never panics; internal failures are −32603 with a reference that the log has.
func (s *Server) Call(ctx context.Context, method string, params json.RawMessage, c CallContext) (out Outcome) {
	defer func() {
		out.Extensions = s.activated(c.Extensions)
		if p := recover(); p != nil {
			out.Result, out.Err = nil, s.Internal(ctx, method, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	result, err := s.dispatch(ctx, method, params, &c)
	if err == nil {
		out.Result = result
		if events, ok := result.(Events); ok {
			out.Result, out.Events = nil, events
		}
		return out
	}
	if errors.As(err, &out.Unauthenticated) {
		out.Err = &a2a.Error{Code: a2a.CodePermissionDenied, Message: "Authentication is required"}
	} else if !errors.As(err, &out.Err) {
		out.Err = s.Internal(ctx, method, err)
	}
	return out
}

// activated are those of the requested extensions that are offered; others are ignored (SPEC-02).
func (s *Server) activated(requested []string) []string {
	var uris []string
	for _, e := range s.o.Card.Capabilities.Extensions {
		if slices.Contains(requested, e.URI) {
			uris = append(uris, e.URI)
		}
	}
	return uris
}

// required checks that the call activates every extension that the card demands (SPEC-10).
func (s *Server) required(c CallContext) error {
	for _, e := range s.o.Card.Capabilities.Extensions {
		if e.Required && !slices.Contains(c.Extensions, e.URI) {
			return a2a.ErrExtensionSupportRequired(e.URI)
		}
	}
	return nil
}

// dispatch decodes and runs a method (SRV-26).
func (s *Server) dispatch(ctx context.Context, method string, params json.RawMessage, c *CallContext) (any, error) {
	if err := s.required(*c); err != nil {
		return nil, err
	}
	switch method {
	case "SendMessage":
		req, err := decodeSend(params, c)
		if err != nil {
			return nil, err
		}
		return s.sendMessage(ctx, *c, req)
	case "GetTask":
		req, err := a2a.DecodeRequest[a2a.GetTaskRequest](params)
		if err != nil {
			return nil, err
		}
		return s.getTask(ctx, *c, req)
	case "ListTasks":
		req, err := a2a.DecodeRequest[a2a.ListTasksRequest](params)
		if err != nil {
			return nil, err
		}
		return s.listTasks(ctx, *c, req)
	case "CancelTask":
		req, err := a2a.DecodeRequest[a2a.CancelTaskRequest](params)
		if err != nil {
			return nil, err
		}
		return s.cancelTask(ctx, *c, req)
	case GetHeldCall:
		return s.heldCall(ctx, *c, params)
	case "SendStreamingMessage", "SubscribeToTask":
		return s.dispatchStream(ctx, method, params, c)
	case "CreateTaskPushNotificationConfig", "GetTaskPushNotificationConfig",
		"ListTaskPushNotificationConfigs", "DeleteTaskPushNotificationConfig":
		return nil, a2a.ErrPushNotificationNotSupported()
	case "GetExtendedAgentCard":
		if _, err := a2a.DecodeRequest[a2a.GetExtendedAgentCardRequest](params); err != nil {
			return nil, err
		}
		return s.extendedCard(ctx, *c)
	}
	return nil, a2a.ErrMethodNotFound()
}

// dispatchStream decodes and runs a method whose answer is a stream (SPEC-10).
func (s *Server) dispatchStream(ctx context.Context, method string, params json.RawMessage, c *CallContext) (any, error) {
	if !s.o.Card.Capabilities.Streaming {
		return nil, a2a.ErrUnsupported("The agent does not stream", nil)
	}
	if method == "SubscribeToTask" {
		req, err := a2a.DecodeRequest[a2a.SubscribeToTaskRequest](params)
		if err != nil {
			return nil, err
		}
		return s.subscribe(ctx, *c, req)
	}
	req, err := decodeSend(params, c)
	if err != nil {
		return nil, err
	}
	return s.sendStream(ctx, *c, req)
}

// decodeSend decodes a send, whose call activates what its message lists, too.
func decodeSend(params json.RawMessage, c *CallContext) (a2a.SendMessageRequest, error) {
	req, err := a2a.DecodeRequest[a2a.SendMessageRequest](params)
	c.Extensions = slices.Concat(c.Extensions, req.Message.Extensions)
	return req, err
}

// Internal logs a failure under a reference, and is the error that tells a caller no more than it.
// It is for bindings too. method is what failed.
func (s *Server) Internal(ctx context.Context, method string, err error) *a2a.Error {
	reference := task.NewID()
	s.o.Log.ErrorContext(ctx, "server: a call failed", "method", method, "reference", reference, "error", err)
	return a2a.ErrInternal(reference)
}
