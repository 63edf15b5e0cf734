package a2a

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/known/timestamppb"
)

// The oracle is the official proto with the official ProtoJSON parser. What it accepts is accepted
// here with the same meaning, and the other way round, but for the differences listed below.

// refusedHereOnly are the faults that ProtoJSON does not know: rules of the protocol, and open
// enums.
var refusedHereOnly = []string{
	"is required",
	"must have exactly one payload",
	"must have exactly one of text, raw, url and data",
	"must be one of the protocol's values, such as ROLE_USER",
	"must be one of the protocol's values, such as TASK_STATE_SUBMITTED",
}

// looseNumber are numbers that ProtoJSON takes and that are none here: longer than anyone writes an
// integer, or with an exponent that is missing.
var looseNumber = regexp.MustCompile(`[-+.0-9eE]{17}|[0-9][eE]([^-+0-9]|$)`)

// refusedThereOnly are faults of ProtoJSON that are none here: a Struct of the proto holds numbers
// as float64, while here a number is kept as written; and a name in brackets is an extension
// there, and an unknown name here.
var refusedThereOnly = []string{"invalid value for", "google.protobuf.Value", "extension"}

func agree[T any, P readable[T]](t *testing.T, raw []byte, theirs proto.Message) {
	t.Helper()
	var ours T
	err := unmarshal[T, P](raw, &ours)
	theirErr := protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(raw, theirs)
	switch {
	case err != nil && theirErr != nil:
		return
	case err != nil:
		if !onlyHere(err, raw) {
			t.Fatalf("refused here (%v), accepted by ProtoJSON: %q", err, raw)
		}
		return
	case theirErr != nil:
		if !slices.ContainsFunc(refusedThereOnly, func(s string) bool { return strings.Contains(theirErr.Error(), s) }) {
			t.Fatalf("accepted here, refused by ProtoJSON (%v): %q", theirErr, raw)
		}
		return
	}
	written, err := Marshal(ours)
	if err != nil {
		t.Fatalf("cannot write what was read: %v: %q", err, raw)
	}
	read := theirs.ProtoReflect().New().Interface()
	if err := protojson.Unmarshal(written, read); err != nil {
		t.Fatalf("ProtoJSON refuses what was written: %v: %s", err, written)
	}
	normalize(theirs.ProtoReflect())
	normalize(read.ProtoReflect())
	if !proto.Equal(theirs, read) {
		t.Fatalf("meanings differ for %q\nProtoJSON: %v\nhere:      %v", raw, theirs, read)
	}
}

// onlyHere reports whether err is one of the listed differences. Of an object's duplicate names and
// of depth ProtoJSON only minds some.
func onlyHere(err error, raw []byte) bool {
	if e := checkJSON(raw, MaxDepth+envelope, math.MaxInt); e != nil {
		return e.Code == CodeInvalidRequest || looseNumber.Match(raw)
	}
	for fault := range strings.SplitSeq(err.Error(), "; ") {
		if strings.HasSuffix(fault, "must be an integer of 32 bits") && looseNumber.Match(raw) {
			continue
		}
		if !slices.ContainsFunc(refusedHereOnly, func(s string) bool { return strings.HasSuffix(fault, s) }) {
			return false
		}
	}
	return true
}

// normalize drops what has no meaning of its own: empty messages outside a oneof, the presence of an
// optional false or "", and what is below a millisecond of a timestamp, whose zero is the absent
// one here.
func normalize(m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsMap():
			if f.MapValue().Message() != nil {
				v.Map().Range(func(_ protoreflect.MapKey, v protoreflect.Value) bool {
					normalize(v.Message())
					return true
				})
			}
		case f.HasOptionalKeyword() && (f.Kind() == protoreflect.BoolKind || f.Kind() == protoreflect.StringKind):
			if v.Interface() == f.Default().Interface() {
				m.Clear(f)
			}
		case f.Message() == nil:
		case f.IsList():
			for i := range v.List().Len() {
				normalize(v.List().Get(i).Message())
			}
		default:
			normalize(v.Message())
			if f.ContainingOneof() == nil && isEmpty(v.Message()) {
				m.Clear(f)
			}
		}
		return true
	})
	if at, ok := m.Interface().(*timestamppb.Timestamp); ok {
		at.Nanos -= at.Nanos % 1_000_000
		if at.AsTime().IsZero() {
			at.Reset()
		}
	}
}

func isEmpty(m protoreflect.Message) bool {
	empty := true
	m.Range(func(protoreflect.FieldDescriptor, protoreflect.Value) bool {
		empty = false
		return false
	})
	return empty
}

func TestAgreesWithProtoJSON(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		`{"messageId":"m","role":"ROLE_USER","parts":[{"text":"a"}]}`,
		`{"message_id":"m","role":1,"parts":[{"media_type":"x","raw":"_-8="}]}`,
		`{"messageId":"m","message_id":"n"}`,
		`{"messageId":null,"role":null,"parts":null,"metadata":null,"extensions":null}`,
		`{"messageId":5}`, `{"role":"ROLE_NONE"}`, `{"role":"1"}`, `{"role":1.0}`, `{"role":"ROLE_UNSPECIFIED"}`,
		`{"parts":{}}`, `{"parts":[null]}`, `{"parts":[1]}`, `{"parts":[{"text":null,"url":"u"}]}`,
		`{"parts":[{"text":"a","raw":"YQ"}]}`, `{"parts":[{"text":"a","data":null}]}`, `{"parts":[{"data":null}]}`,
		`{"parts":[{"raw":"YQ"}]}`, `{"parts":[{"raw":"YQ=="}]}`, `{"parts":[{"raw":"?"}]}`, `{"parts":[{"raw":""}]}`,
		`{"parts":[{"data":{"a":[1,null,"\u2028"]}}]}`, `{"parts":[{"text":"\ud800"}]}`, `{"parts":[{"text":"\ud83d\ude00"}]}`,
		`{"metadata":{"a":null,"b":{"c":1}}}`, `{"metadata":[]}`, `{"metadata":{"a":1,"a":2}}`,
		`{"extensions":["a",null]}`, `{"extensions":"a"}`, `{"MessageId":"m"}`, `{"Message_ID":"m"}`,
		`[]`, `"x"`, `{} {}`, ``, `{"a":1,}`, "{\"messageId\":\"\xff\"}",
	} {
		agree[Message](t, []byte(raw), &a2apb.Message{})
	}
	for _, literal := range []string{
		"1", "1.0", "1.5", "1e1", "1e-1", "10e-1", "-1", "2147483647", "2147483648", "-2147483648",
		`"1"`, `"1.0"`, `" 1"`, `"1 "`, `""`, `"x"`, `"+1"`, `"0x1"`, `"01"`, `"1."`, `"1.e1"`, `".5"`, `"-"`, `"1_0"`,
		`"Infinity"`, `"NaN"`, `"1E2"`, "true", "null", "[]", "1e400", "0.0", "-0", `"-0"`,
	} {
		agree[GetTaskRequest](t, []byte(`{"id":"t","historyLength":`+literal+`}`), &a2apb.GetTaskRequest{})
	}
	for _, at := range []string{
		`"2026-01-02T15:04:05Z"`, `"2026-01-02T15:04:05.123456789Z"`, `"2026-01-02T15:04:05.1234567891Z"`,
		`"2026-01-02T15:04:05+02:00"`, `"2026-01-02t15:04:05z"`, `"2026-01-02 15:04:05Z"`, `"2026-01-02"`, `""`, `5`,
		`"2026-01-02T15:04:05,5Z"`, `"2026-01-02T5:04:05Z"`, `"2026-02-30T15:04:05Z"`, `"2026-01-02T15:04:60Z"`,
		`"0001-01-01T00:00:00Z"`, `"0001-01-01T00:00:00+01:00"`, `"9999-12-31T23:59:59-01:00"`, `"2026-01-02T15:04:05+25:00"`,
		`"1969-12-31T23:59:59.9999Z"`, `"0000-01-01T00:00:00Z"`,
	} {
		agree[ListTasksRequest](t, []byte(`{"statusTimestampAfter":`+at+`}`), &a2apb.ListTasksRequest{})
	}
}
