package grpc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// service is a server's operations as gRPC calls them.
type service struct {
	a2apb.UnimplementedA2AServiceServer
	server *server.Server
}

func (s *service) SendMessage(ctx context.Context, in *a2apb.SendMessageRequest) (*a2apb.SendMessageResponse, error) {
	return unary(ctx, s, "SendMessage", in, &a2apb.SendMessageResponse{})
}

func (s *service) GetTask(ctx context.Context, in *a2apb.GetTaskRequest) (*a2apb.Task, error) {
	return unary(ctx, s, "GetTask", in, &a2apb.Task{})
}

func (s *service) ListTasks(ctx context.Context, in *a2apb.ListTasksRequest) (*a2apb.ListTasksResponse, error) {
	return unary(ctx, s, "ListTasks", in, &a2apb.ListTasksResponse{})
}

func (s *service) CancelTask(ctx context.Context, in *a2apb.CancelTaskRequest) (*a2apb.Task, error) {
	return unary(ctx, s, "CancelTask", in, &a2apb.Task{})
}

func (s *service) CreateTaskPushNotificationConfig(ctx context.Context, in *a2apb.TaskPushNotificationConfig) (*a2apb.TaskPushNotificationConfig, error) {
	return unary(ctx, s, "CreateTaskPushNotificationConfig", in, &a2apb.TaskPushNotificationConfig{})
}

func (s *service) GetTaskPushNotificationConfig(ctx context.Context, in *a2apb.GetTaskPushNotificationConfigRequest) (*a2apb.TaskPushNotificationConfig, error) {
	return unary(ctx, s, "GetTaskPushNotificationConfig", in, &a2apb.TaskPushNotificationConfig{})
}

func (s *service) ListTaskPushNotificationConfigs(ctx context.Context, in *a2apb.ListTaskPushNotificationConfigsRequest) (*a2apb.ListTaskPushNotificationConfigsResponse, error) {
	return unary(ctx, s, "ListTaskPushNotificationConfigs", in, &a2apb.ListTaskPushNotificationConfigsResponse{})
}

func (s *service) DeleteTaskPushNotificationConfig(ctx context.Context, in *a2apb.DeleteTaskPushNotificationConfigRequest) (*emptypb.Empty, error) {
	return unary(ctx, s, "DeleteTaskPushNotificationConfig", in, &emptypb.Empty{})
}

func (s *service) GetExtendedAgentCard(ctx context.Context, in *a2apb.GetExtendedAgentCardRequest) (*a2apb.AgentCard, error) {
	return unary(ctx, s, "GetExtendedAgentCard", in, &a2apb.AgentCard{})
}

func (s *service) SendStreamingMessage(in *a2apb.SendMessageRequest, stream grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return s.stream("SendStreamingMessage", in, stream)
}

func (s *service) SubscribeToTask(in *a2apb.SubscribeToTaskRequest, stream grpc.ServerStreamingServer[a2apb.StreamResponse]) error {
	return s.stream("SubscribeToTask", in, stream)
}

// unary makes a call whose answer is one message.
func unary[Out proto.Message](ctx context.Context, s *service, method string, in proto.Message, out Out) (_ Out, err error) {
	defer s.survive(ctx, method, &err)
	var none Out
	answer, err := s.call(ctx, method, in)
	if err != nil {
		return none, err
	}
	if err := s.encode(ctx, method, answer.Result, out); err != nil {
		return none, err
	}
	return out, nil
}

// stream makes a call whose answer is a stream.
func (s *service) stream(method string, in proto.Message, stream grpc.ServerStreamingServer[a2apb.StreamResponse]) (err error) {
	ctx := stream.Context()
	defer s.survive(ctx, method, &err)
	answer, err := s.call(ctx, method, in)
	if err != nil {
		return err
	}
	for e, failed := range answer.Events {
		if failed != nil {
			return statusOf(failed)
		}
		out := &a2apb.StreamResponse{}
		if err := s.encode(ctx, method, e.Response, out); err != nil {
			return err
		}
		if err := stream.Send(out); err != nil {
			return err // the caller has gone
		}
	}
	return nil
}

// call makes a call. Its error is a status.
func (s *service) call(ctx context.Context, method string, in proto.Message) (server.Outcome, error) {
	md, _ := metadata.FromIncomingContext(ctx)
	headers := headersOf(md)
	principal, err := s.server.Authenticate(requestOf(ctx, method, headers))
	if err != nil {
		return server.Outcome{}, unauthenticated(ctx, err)
	}
	if version := headers.Get(a2a.HeaderVersion); !a2a.SupportedVersion(version) {
		return server.Outcome{}, statusOf(a2a.ErrVersionNotSupported(version))
	}
	if unread(in) {
		return server.Outcome{}, statusOf(a2a.ErrInvalidParams("request", "must be a message of the protocol in valid UTF-8, within its bounds of values and nesting"))
	}
	params, err := protojson.Marshal(in)
	if err != nil { // a Value of no kind
		return server.Outcome{}, statusOf(a2a.ErrInvalidParams("request", "must have a kind for each value"))
	}
	out := s.server.Call(ctx, method, params, server.CallContext{
		Principal: principal, Binding: a2a.BindingGRPC,
		Extensions:     a2a.ParseExtensions(headers.Values(a2a.HeaderExtensions)),
		IdempotencyKey: headers.Get(headerIdempotencyKey),
	})
	_ = grpc.SetHeader(ctx, activated(out)) // fails only where the call is over
	switch {
	case out.Unauthenticated != nil:
		return out, unauthenticated(ctx, out.Unauthenticated)
	case out.Err != nil:
		return out, statusOf(out.Err)
	}
	return out, nil
}

// requestOf is a call as an authenticator sees those of HTTP: it is one, by POST to the method's path.
func requestOf(ctx context.Context, method string, headers http.Header) *http.Request {
	path := "/" + a2apb.A2AService_ServiceDesc.ServiceName + "/" + method
	r := &http.Request{
		Method: http.MethodPost, URL: &url.URL{Path: path}, RequestURI: path, Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: headers, Body: http.NoBody,
	}
	if md, ok := metadata.FromIncomingContext(ctx); ok {
		r.Host = strings.Join(md.Get(":authority"), "")
	}
	if p, ok := peer.FromContext(ctx); ok {
		r.RemoteAddr, r.TLS = p.Addr.String(), tlsOf(p.AuthInfo)
	}
	return r.WithContext(ctx)
}

// survive answers for a call that panicked.
func (s *service) survive(ctx context.Context, method string, err *error) {
	if p := recover(); p != nil {
		*err = statusOf(s.server.Internal(ctx, method, fmt.Errorf("panic: %v\n%s", p, debug.Stack())))
	}
}

// tlsOf is what the connection's TLS has told; nil: it has none.
func tlsOf(info credentials.AuthInfo) *tls.ConnectionState {
	if info, ok := info.(credentials.TLSInfo); ok {
		return &info.State
	}
	return nil
}

// headerIdempotencyKey is a name of metadata, beside those of the protocol. There is none for the last
// event that a follower saw: no event of gRPC has an id.
const headerIdempotencyKey = "Idempotency-Key"

// headersOf is metadata as a request of HTTP has it.
func headersOf(md metadata.MD) http.Header {
	h := http.Header{}
	for name, values := range md {
		if !strings.HasPrefix(name, ":") {
			h[http.CanonicalHeaderKey(name)] = values
		}
	}
	return h
}

// activated tells which extensions a call activated (SPEC-02).
func activated(out server.Outcome) metadata.MD {
	if len(out.Extensions) == 0 {
		return nil
	}
	return metadata.Pairs(strings.ToLower(a2a.HeaderExtensions), a2a.FormatExtensions(out.Extensions))
}

// encode writes a result into the message that the protocol has for it.
func (s *service) encode(ctx context.Context, method string, result any, out proto.Message) error {
	b, err := a2a.Marshal(result)
	if err == nil {
		err = protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(b, out)
	}
	if err != nil {
		return statusOf(s.server.Internal(ctx, method, errors.Join(errEncode, err)))
	}
	return nil
}

var errEncode = errors.New("grpc: write an answer")
