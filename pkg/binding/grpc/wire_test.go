package grpc_test

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/structpb"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/binding/grpc"
)

// field is a field of bytes on the wire.
func field(number protowire.Number, value string) string {
	return string(protowire.AppendString(protowire.AppendTag(nil, number, protowire.BytesType), value))
}

// sent is a SendMessageRequest on the wire whose message has more fields.
func sent(more string) string {
	return field(2, field(1, "m-1")+"\x20\x01"+field(5, field(1, "say done"))+more)
}

// nestedData is a part whose data nests arrays on the wire.
func nestedData(levels int) string {
	value := "\x08\x00" // null
	for range levels {
		value = field(6, field(1, value))
	}
	return field(5, field(4, value))
}

// GRPC-03: the bytes of a request that are no message, or one beyond the bounds, are the caller's
// fault, in calls and streams.
func TestWire(t *testing.T) {
	t.Parallel()
	conn, _ := dial(t)
	for name, request := range map[string]string{
		"no tag":                    "\xff\xff",
		"a field cut off":           "\x0a\x7f",
		"text of strange bytes":     sent(field(5, field(1, "\xff"))),
		"parts beyond the bound":    sent(strings.Repeat(field(5, ""), 200_001)),
		"entries beyond the bound":  sent(strings.Repeat(field(7, ""), 200_001)),
		"metadata beyond the bound": sent(field(6, strings.Repeat(field(1, ""), 200_001))),
		"nesting beyond the bound":  sent(nestedData(1000)),
	} {
		for _, method := range []string{"SendMessage", "SendStreamingMessage"} {
			t.Run(method+", "+name, func(t *testing.T) {
				t.Parallel()
				s := wantCode(t, exchange(t, conn, method, request), codes.InvalidArgument, "INVALID_PARAMS")
				if bad, ok := s.Details()[1].(*errdetails.BadRequest); !ok || bad.FieldViolations[0].Field != "request" {
					t.Errorf("got %v", s.Details())
				}
			})
		}
	}
	for name, request := range map[string]string{
		"unknown fields": sent(strings.Repeat(field(1000, "x"), 300_000)),
		"nesting within": sent(nestedData(40)),
	} {
		if err := exchange(t, conn, "SendMessage", request); !errors.Is(err, io.EOF) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// exchange sends bytes and reads the answer to its end.
func exchange(t *testing.T, conn *rpc.ClientConn, method, request string) error {
	t.Helper()
	stream, err := conn.NewStream(as(t.Context(), "alice"), &rpc.StreamDesc{ServerStreams: true}, "/lf.a2a.v1.A2AService/"+method, rpc.ForceCodecV2(raw{}))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(stream.SendMsg([]byte(request)), stream.CloseSend()); err != nil {
		t.Fatal(err)
	}
	for {
		if err := stream.RecvMsg(&a2apb.SendMessageResponse{}); err != nil {
			return err
		}
	}
}

// What a request of the most bytes costs to refuse is a few times those.
func TestRefusalIsCheap(t *testing.T) {
	request := mem.BufferSlice{mem.SliceBuffer(sent(strings.Repeat(field(5, ""), 2_000_000)))}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var got a2apb.SendMessageRequest
	if err := grpc.Codec().Unmarshal(request, &got); err != nil || got.Message != nil {
		t.Errorf("got %v, %d parts", err, len(got.GetMessage().GetParts()))
	}
	runtime.ReadMemStats(&after)
	if cost := after.TotalAlloc - before.TotalAlloc; cost > 16<<20 {
		t.Errorf("%d bytes to refuse %d", cost, request.Len())
	}
}

// The most that JSON may be is no less on the wire.
func TestWireHoldsWhatJSONMay(t *testing.T) {
	t.Parallel()
	list := &structpb.ListValue{Values: make([]*structpb.Value, 99_000)}
	for i := range list.Values {
		list.Values[i] = structpb.NewNumberValue(1)
	}
	deep := structpb.NewListValue(list)
	for range 90 {
		deep = structpb.NewListValue(&structpb.ListValue{Values: []*structpb.Value{deep}})
	}
	m := message("x")
	m.Message.Metadata = &structpb.Struct{Fields: map[string]*structpb.Value{"k": deep}}
	b, err := proto.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	var got a2apb.SendMessageRequest
	if err := grpc.Codec().Unmarshal(mem.BufferSlice{mem.SliceBuffer(b)}, &got); err != nil || !proto.Equal(&got, m) {
		t.Errorf("got %v", err)
	}
}

// What a caller sent in metadata may be of any bytes, and its error has details all the same.
func TestErrorsOfStrangeBytes(t *testing.T) {
	t.Parallel()
	e := a2a.ErrInvalidParams("f\xff", "d\xff")
	e.Message, e.Metadata = "m\xff", map[string]string{"k\xff": "v\xff"}
	if s := wantCode(t, grpc.StatusOf(e), codes.InvalidArgument, "INVALID_PARAMS"); len(s.Details()) != 2 || s.Message() != "m\uFFFD" {
		t.Errorf("got %q, %v", s.Message(), s.Details())
	}
}
