package grpc

import (
	"bytes"
	"errors"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec that is wrapped
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

const (
	// maxPieces is the most messages and list entries of a request on the wire, where a value of JSON
	// takes up to two: each takes some hundred bytes of memory, however short it is.
	maxPieces = 2 * a2a.MaxValues
	// maxNesting is how deep messages may nest on the wire, where a level of JSON takes up to three.
	maxNesting = 4 * a2a.MaxDepth
)

var (
	errLarge  = errors.New("grpc: more bytes than a request may have")
	errWire   = errors.New("grpc: no message of the protocol")
	errPieces = errors.New("grpc: more values than a request may have")
	errNested = errors.New("grpc: nests too deep")
)

// codec is gRPC's own, which weighs a message before it makes room for it.
type codec struct{ encoding.CodecV2 }

func boundedCodec() codec { return codec{encoding.GetCodecV2("proto")} }

// Unmarshal reads a message that is within the bounds. A request of the protocol that it cannot read is
// marked as unread, because gRPC answers an error from here itself, with one of its own.
func (c codec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	whole := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer whole.Free()
	pieces := maxPieces
	err := errLarge
	if whole.Len() <= maxMessage {
		err = weigh(whole.ReadOnlyData(), m.ProtoReflect().Descriptor(), &pieces, maxNesting)
	}
	if err == nil {
		err = c.CodecV2.Unmarshal(mem.BufferSlice{whole}, v)
	}
	if err != nil && m.ProtoReflect().Descriptor().ParentFile() == a2apb.File_a2av1_proto {
		proto.Reset(m)
		m.ProtoReflect().SetUnknown(unreadMark)
		return nil
	}
	return err
}

// unreadMark is a field that no message has.
var unreadMark = protoreflect.RawFields(protowire.AppendVarint(protowire.AppendTag(nil, protowire.MaxValidNumber, protowire.VarintType), 1))

// unread reports whether a request could not be read.
func unread(m proto.Message) bool { return bytes.Equal(m.ProtoReflect().GetUnknown(), unreadMark) }

// weigh walks a message on the wire and takes what it holds off pieces.
func weigh(b []byte, of protoreflect.MessageDescriptor, pieces *int, depth int) error {
	if depth == 0 {
		return errNested
	}
	for len(b) > 0 {
		number, kind, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errWire
		}
		b = b[n:]
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return errWire
		}
		field := of.Fields().ByNumber(number)
		if field != nil && (field.IsList() || field.Message() != nil) {
			if *pieces--; *pieces < 0 {
				return errPieces
			}
			if err := weighValue(b[:n], field, kind, pieces, depth-1); err != nil {
				return err
			}
		}
		b = b[n:]
	}
	return nil
}

func weighValue(value []byte, field protoreflect.FieldDescriptor, kind protowire.Type, pieces *int, depth int) error {
	if field.Message() == nil || kind != protowire.BytesType {
		return nil
	}
	inner, _ := protowire.ConsumeBytes(value)
	return weigh(inner, field.Message(), pieces, depth)
}
