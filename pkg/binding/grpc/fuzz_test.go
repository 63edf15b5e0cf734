package grpc_test

import (
	"errors"
	"io"
	"slices"
	"testing"

	rpc "google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/mem"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/interlude-a2a/interlude/test/schema"
)

// raw sends bytes as they are, and receives messages.
type raw struct{}

func (raw) Name() string { return "proto" }

func (raw) Marshal(v any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(v.([]byte))}, nil
}

func (raw) Unmarshal(data mem.BufferSlice, v any) error {
	return proto.Unmarshal(data.Materialize(), v.(proto.Message))
}

// FuzzService: whatever a request's bytes are, the answer is what the method's answers are, or the
// caller's fault is named.
func FuzzService(f *testing.F) {
	methods := schema.Methods()
	for i, method := range methods {
		in, _ := schema.Messages(method)
		b, err := proto.Marshal(in)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(uint8(i), b)
		f.Add(uint8(i), []byte{0x0a, 0x02, 't', '1'})
	}
	for _, method := range []string{"SendMessage", "SendStreamingMessage"} {
		for _, script := range []string{"say a; artifact data {\"n\": [1]}", "ask Which?"} {
			b, err := proto.Marshal(message(script))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(uint8(slices.Index(methods, method)), b)
		}
	}
	conn, _ := dial(f)
	f.Fuzz(func(t *testing.T, which uint8, request []byte) {
		method := methods[int(which)%len(methods)]
		stream, err := conn.NewStream(as(t.Context(), "alice"), &rpc.StreamDesc{ServerStreams: true}, "/lf.a2a.v1.A2AService/"+method, rpc.ForceCodecV2(raw{}))
		if err == nil {
			err = stream.SendMsg(request)
		}
		if err == nil {
			err = stream.CloseSend()
		}
		for err == nil {
			_, out := schema.Messages(method)
			if err = stream.RecvMsg(out); err == nil {
				wantConforms(t, out)
			}
		}
		if errors.Is(err, io.EOF) {
			return
		}
		switch s := status.Convert(err); s.Code() {
		case codes.Unknown, codes.Unavailable, codes.DataLoss, codes.Internal:
			t.Errorf("%s: got %v, want the caller's fault named", method, err)
		}
	})
}

func wantConforms(t *testing.T, m proto.Message) {
	t.Helper()
	b, err := protojson.MarshalOptions{EmitDefaultValues: true}.Marshal(m)
	if err == nil {
		err = schema.Check(b, m.ProtoReflect().New().Interface())
	}
	if err != nil {
		t.Errorf("%v: %v", err, m)
	}
}
