package a2a

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Every field of every type is read and written: a value with all fields set survives.
func TestEveryFieldRoundTrips(t *testing.T) {
	t.Parallel()
	for choice := range 5 { // As many as the biggest one-of has.
		complete[SendMessageRequest](t, choice)
		complete[GetTaskRequest](t, choice)
		complete[ListTasksRequest](t, choice)
		complete[CancelTaskRequest](t, choice)
		complete[SubscribeToTaskRequest](t, choice)
		complete[TaskPushNotificationConfig](t, choice)
		complete[GetTaskPushNotificationConfigRequest](t, choice)
		complete[ListTaskPushNotificationConfigsRequest](t, choice)
		complete[DeleteTaskPushNotificationConfigRequest](t, choice)
		complete[GetExtendedAgentCardRequest](t, choice)
		complete[SendMessageResponse](t, choice)
		complete[StreamResponse](t, choice)
		complete[ListTasksResponse](t, choice)
		complete[ListTaskPushNotificationConfigsResponse](t, choice)
		complete[AgentCard](t, choice)
	}
}

func complete[T any, P readable[T]](t *testing.T, choice int) {
	t.Helper()
	var want, got T
	fill(reflect.ValueOf(&want).Elem(), choice)
	written, err := Marshal(want)
	if err != nil {
		t.Fatalf("%T: got error %v", want, err)
	}
	if err := unmarshal[T, P](written, &got); err != nil {
		t.Fatalf("%T: got error %v", want, err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%T differs (-want +got):\n%s", want, diff)
	}
}

var contents = []Content{Text("t"), Data(`{"a":[1.0,null]}`), URL("https://u"), Raw("\x00\x01")}

// fill sets everything in v; of a one-of the field that choice picks.
func fill(v reflect.Value, choice int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.UnixMilli(1_700_000_000_123).UTC()))
		return
	case Role:
		v.SetString(string(RoleAgent))
		return
	case TaskState:
		v.SetString(string(TaskStateAuthRequired))
		return
	case json.RawMessage:
		v.Set(reflect.ValueOf(json.RawMessage(`{"a":[1.0,null]}`)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("s")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int32:
		v.SetInt(7)
	case reflect.Interface:
		v.Set(reflect.ValueOf(contents[choice%len(contents)]))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), choice)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), choice)
	case reflect.Map:
		value := reflect.New(v.Type().Elem()).Elem()
		fill(value, choice)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), value)
	case reflect.Struct:
		fillStruct(v, choice)
	}
}

func fillStruct(v reflect.Value, choice int) {
	if isOneOf(v.Type()) {
		fill(v.Field(choice%v.NumField()), choice)
		return
	}
	for i := range v.NumField() {
		if v.Type().Field(i).Name != "Nested" { // It has no member of its own.
			fill(v.Field(i), choice)
		}
	}
}

// isOneOf reports whether a type has nothing but pointers.
func isOneOf(t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Type.Kind() != reflect.Pointer {
			return false
		}
	}
	return true
}
