package grpc_test

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/interlude-a2a/interlude/pkg/binding/grpc"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/test/scripted"
)

// dial serves a system by gRPC in memory, and connects to it. stop ends the serving.
func dial(t testing.TB) (conn *rpc.ClientConn, stop func()) {
	t.Helper()
	s, _ := scripted.New(t, scripted.Options{})
	l := bufconn.Listen(1 << 20)
	served := make(chan error, 1)
	serving, end := context.WithCancel(context.Background())
	go func() { served <- grpc.Serve(serving, l, s, grpc.Options{}) }()
	conn, err := rpc.NewClient("passthrough:agent", rpc.WithTransportCredentials(insecure.NewCredentials()),
		rpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return l.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	stop = func() {
		end()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		served <- nil
	}
	t.Cleanup(func() { conn.Close(); stop() })
	return conn, stop
}

// as is a call of somebody's, in version 1.0, with more metadata in pairs.
func as(ctx context.Context, who string, more ...string) context.Context {
	return metadata.AppendToOutgoingContext(ctx, append([]string{"authorization", "Bearer " + who, "a2a-version", "1.0"}, more...)...)
}

func message(text string) *a2apb.SendMessageRequest {
	return &a2apb.SendMessageRequest{Message: &a2apb.Message{
		MessageId: "m-1", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: text}}},
	}}
}

func wantCode(t *testing.T, err error, code codes.Code, reason string) *status.Status {
	t.Helper()
	s := status.Convert(err)
	if s.Code() != code {
		t.Fatalf("got %v, want %s", err, code)
	}
	for _, d := range s.Details() {
		if info, ok := d.(*errdetails.ErrorInfo); ok && info.Reason == reason && info.Domain == "a2a-protocol.org" {
			return s
		}
	}
	if reason != "" {
		t.Fatalf("%v has details %v, want an ErrorInfo of %s", err, s.Details(), reason)
	}
	return s
}

// GRPC-01, SPEC-02, INT-03, INT-13: the operations, and an approval on the same task.
func TestOperations(t *testing.T) {
	t.Parallel()
	conn, _ := dial(t)
	c := a2apb.NewA2AServiceClient(conn)
	ctx := as(t.Context(), "alice", "a2a-extensions", interaction.URI)
	var header metadata.MD
	sent, err := c.SendMessage(ctx, message(`approve github/merge; artifact data {"n": 1, "null": null}; say done`), rpc.Header(&header))
	if err != nil {
		t.Fatal(err)
	}
	held := sent.GetTask()
	if held.GetStatus().GetState() != a2apb.TaskState_TASK_STATE_AUTH_REQUIRED || header.Get("a2a-extensions")[0] != interaction.URI {
		t.Fatalf("got %v with %v", held, header)
	}
	open := held.Status.Message.Metadata.Fields[interaction.URI].GetStructValue().Fields
	if open["prompt"].GetStringValue() != "Approve github / merge?" {
		t.Errorf("the interaction is %v", open)
	}
	_, err = c.SendMessage(ctx, func() *a2apb.SendMessageRequest { m := message("yes"); m.Message.TaskId = held.Id; return m }())
	wantCode(t, err, codes.FailedPrecondition, "UNSUPPORTED_OPERATION")
	yes := message("")
	answer, err := structpb.NewStruct(map[string]any{interaction.URI: map[string]any{"interactionId": open["interactionId"].GetStringValue(), "approved": true}})
	if err != nil {
		t.Fatal(err)
	}
	yes.Message.TaskId, yes.Message.MessageId, yes.Message.Extensions, yes.Message.Metadata = held.Id, "m-2", []string{interaction.URI}, answer
	done, err := c.SendMessage(ctx, yes)
	if err != nil || done.GetTask().GetId() != held.Id || done.GetTask().Status.State != a2apb.TaskState_TASK_STATE_COMPLETED {
		t.Fatalf("got %v, %v", done, err)
	}
	if got, err := c.GetTask(ctx, &a2apb.GetTaskRequest{Id: held.Id}); err != nil || got.Artifacts[0].Parts[0].GetData().GetStructValue().Fields["n"].GetNumberValue() != 1 {
		t.Errorf("get: %v, %v", got, err)
	}
	if got, err := c.ListTasks(ctx, &a2apb.ListTasksRequest{}); err != nil || len(got.Tasks) != 1 || got.PageSize != 50 || got.TotalSize != 1 {
		t.Errorf("list: %v, %v", got, err)
	}
	_, err = c.CancelTask(ctx, &a2apb.CancelTaskRequest{Id: held.Id})
	wantCode(t, err, codes.FailedPrecondition, "TASK_NOT_CANCELABLE")
	_, err = c.GetTask(as(t.Context(), "bob"), &a2apb.GetTaskRequest{Id: held.Id})
	wantCode(t, err, codes.NotFound, "TASK_NOT_FOUND")
}

// SPEC-08: streams, ended by the task's end and by the caller's.
func TestStreams(t *testing.T) {
	t.Parallel()
	conn, _ := dial(t)
	c := a2apb.NewA2AServiceClient(conn)
	ctx := as(t.Context(), "alice")
	stream, err := c.SendStreamingMessage(ctx, message("say one; artifact text x; say done"))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for {
		r, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch p := r.Payload.(type) {
		case *a2apb.StreamResponse_Task:
			kinds = append(kinds, "task")
		case *a2apb.StreamResponse_StatusUpdate:
			kinds = append(kinds, p.StatusUpdate.Status.State.String())
		case *a2apb.StreamResponse_ArtifactUpdate:
			kinds = append(kinds, "artifact")
		}
	}
	if got := strings.Join(kinds, " "); got != "task TASK_STATE_WORKING TASK_STATE_WORKING artifact TASK_STATE_COMPLETED" {
		t.Errorf("got %s", got)
	}
	sub, err := c.SubscribeToTask(ctx, &a2apb.SubscribeToTaskRequest{Id: "t1.none"})
	if err == nil {
		_, err = sub.Recv()
	}
	wantCode(t, err, codes.NotFound, "TASK_NOT_FOUND")
}

// GRPC-03, SPEC-01, R-14: what is refused, and how.
func TestRefusals(t *testing.T) {
	t.Parallel()
	conn, _ := dial(t)
	c := a2apb.NewA2AServiceClient(conn)
	for _, tt := range []struct {
		name   string
		ctx    context.Context
		req    *a2apb.SendMessageRequest
		code   codes.Code
		reason string
	}{
		{"nobody", metadata.AppendToOutgoingContext(t.Context(), "a2a-version", "1.0"), message("x"), codes.Unauthenticated, ""},
		{"broken door", as(t.Context(), "broken"), message("x"), codes.Internal, "INTERNAL_ERROR"},
		{"a door that panics", as(t.Context(), "panicking"), message("x"), codes.Internal, "INTERNAL_ERROR"},
		{"no version", metadata.AppendToOutgoingContext(t.Context(), "authorization", "Bearer alice"), message("x"), codes.FailedPrecondition, "VERSION_NOT_SUPPORTED"},
		{"no message", as(t.Context(), "alice"), &a2apb.SendMessageRequest{}, codes.InvalidArgument, "INVALID_PARAMS"},
		{"a value of no kind", as(t.Context(), "alice"), &a2apb.SendMessageRequest{Message: &a2apb.Message{
			MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Data{Data: &structpb.Value{}}}},
		}}, codes.InvalidArgument, "INVALID_PARAMS"},
		{"too large", as(t.Context(), "alice"), message(strings.Repeat("x", 5<<20)), codes.InvalidArgument, "INVALID_PARAMS"},
		{"far too large", as(t.Context(), "alice"), message(strings.Repeat("x", 9<<20)), codes.ResourceExhausted, ""},
	} {
		_, err := c.SendMessage(tt.ctx, tt.req)
		if s := wantCode(t, err, tt.code, tt.reason); strings.Contains(s.Message(), "secret") {
			t.Errorf("%s: told %q", tt.name, s.Message())
		}
	}
	_, err := c.SendMessage(as(t.Context(), "alice"), &a2apb.SendMessageRequest{})
	for _, d := range status.Convert(err).Details() {
		if bad, ok := d.(*errdetails.BadRequest); ok && bad.FieldViolations[0].Field == "message" {
			return
		}
	}
	t.Errorf("%v names no field", err)
}

// a caller whom nobody knows is told how to be known, in calls and in streams.
func TestChallenge(t *testing.T) {
	t.Parallel()
	conn, _ := dial(t)
	c := a2apb.NewA2AServiceClient(conn)
	ctx := metadata.AppendToOutgoingContext(t.Context(), "a2a-version", "1.0")
	var ofCall metadata.MD
	_, err := c.SendMessage(ctx, message("x"), rpc.Header(&ofCall))
	wantCode(t, err, codes.Unauthenticated, "")
	stream, err := c.SendStreamingMessage(ctx, message("x"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = stream.Recv()
	wantCode(t, err, codes.Unauthenticated, "")
	ofStream, err := stream.Header()
	if err != nil {
		t.Fatal(err)
	}
	for _, md := range []metadata.MD{ofCall, ofStream} {
		if got := md.Get("www-authenticate"); len(got) != 1 || got[0] != `Bearer realm="test"` {
			t.Errorf("got the challenges %q", got)
		}
	}
}

// the key is metadata here.
func TestIdempotencyKey(t *testing.T) {
	t.Parallel()
	conn, _ := dial(t)
	c := a2apb.NewA2AServiceClient(conn)
	ctx := as(t.Context(), "alice", "idempotency-key", "k")
	first, err := c.SendMessage(ctx, message("x"))
	if err != nil {
		t.Fatal(err)
	}
	if again, err := c.SendMessage(ctx, message("x")); err != nil || again.GetTask().GetId() != first.GetTask().GetId() {
		t.Errorf("got %v, %v, want task %s", again, err, first.GetTask().GetId())
	}
}

// Health and reflection are there for who runs it; a stop lets calls end.
func TestServe(t *testing.T) {
	t.Parallel()
	conn, stop := dial(t)
	h, err := healthpb.NewHealthClient(conn).Check(t.Context(), &healthpb.HealthCheckRequest{Service: "lf.a2a.v1.A2AService"})
	if err != nil || h.Status != healthpb.HealthCheckResponse_SERVING {
		t.Errorf("health: %v, %v", h, err)
	}
	r, err := reflectionpb.NewServerReflectionClient(conn).ServerReflectionInfo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Send(&reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Recv(); err != nil || !strings.Contains(got.String(), "lf.a2a.v1.A2AService") {
		t.Errorf("reflection: %v, %v", got, err)
	}
	if err := r.CloseSend(); err != nil {
		t.Fatal(err)
	}
	stream, err := a2apb.NewA2AServiceClient(conn).SendStreamingMessage(as(t.Context(), "alice"), message("sleep 500ms; say done"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := stream.Recv(); err != nil {
		t.Fatal(err)
	}
	go stop()
	for {
		_, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("a call was cut: %v", err)
		}
	}
}
