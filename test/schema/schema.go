package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/genproto/googleapis/api/annotations"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// Check reads raw into m and tells what is wrong with it.
func Check(raw []byte, m proto.Message) error {
	if err := protojson.Unmarshal(raw, m); err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return err
	}
	return message(m.ProtoReflect().Descriptor(), v)
}

// message checks an object as a message of the proto.
func message(d protoreflect.MessageDescriptor, v any) error {
	if strings.HasPrefix(string(d.FullName()), "google.protobuf.") {
		return nil // a form of its own
	}
	object, ok := v.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is %T, want an object", d.Name(), v)
	}
	for i := range d.Fields().Len() {
		f := d.Fields().Get(i)
		member, there := object[f.JSONName()]
		switch {
		case !there && required(f):
			return fmt.Errorf("%s has no %s", d.Name(), f.JSONName())
		case !there:
			continue
		case member == nil && f.Message() == nil:
			return fmt.Errorf("%s.%s is null", d.Name(), f.JSONName())
		}
		if err := field(f, member); err != nil {
			return fmt.Errorf("%s.%w", d.Name(), err)
		}
	}
	return oneofs(d, object)
}

// oneofs checks that of each choice one is made: the protocol has no message that makes none.
func oneofs(d protoreflect.MessageDescriptor, object map[string]any) error {
	for i := range d.Oneofs().Len() {
		o := d.Oneofs().Get(i)
		if o.IsSynthetic() {
			continue
		}
		n := 0
		for j := range o.Fields().Len() {
			if _, there := object[o.Fields().Get(j).JSONName()]; there {
				n++
			}
		}
		if n != 1 {
			return fmt.Errorf("%s has %d of its %s", d.Name(), n, o.Name())
		}
	}
	return nil
}

// field checks a member of an object.
func field(f protoreflect.FieldDescriptor, v any) error {
	switch {
	case f.IsMap():
		for _, each := range v.(map[string]any) {
			if err := value(f, f.MapValue(), each); err != nil {
				return err
			}
		}
		return nil
	case f.IsList():
		list := v.([]any)
		if f.Name() == "parts" && len(list) == 0 {
			return fmt.Errorf("%s is empty", f.Name())
		}
		for _, each := range list {
			if err := value(f, f, each); err != nil {
				return err
			}
		}
		return nil
	}
	return value(f, f, v)
}

// value checks one value of a field whose values are as kind has them.
func value(f, kind protoreflect.FieldDescriptor, v any) error {
	switch {
	case kind.Enum() != nil:
		name, ok := v.(string)
		if e := kind.Enum().Values().ByName(protoreflect.Name(name)); !ok || e == nil || e.Number() == 0 {
			return fmt.Errorf("%s is %v, want the name of a value", f.Name(), v)
		}
	case kind.Message() != nil:
		if err := message(kind.Message(), v); err != nil {
			return fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return nil
}

// required reports whether the proto marks a field REQUIRED.
func required(f protoreflect.FieldDescriptor) bool {
	behaviors, _ := proto.GetExtension(f.Options(), annotations.E_FieldBehavior).([]annotations.FieldBehavior)
	return slices.Contains(behaviors, annotations.FieldBehavior_REQUIRED)
}
