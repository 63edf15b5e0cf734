package schema

import (
	"maps"
	"slices"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/emptypb"
)

// Messages are new messages of a method's request and answer, or of an event of its answer; nil: there
// is no such method.
func Messages(method string) (in, out proto.Message) {
	m := messages[method]
	if m.in == nil {
		return nil, nil
	}
	return m.in.ProtoReflect().New().Interface(), m.out.ProtoReflect().New().Interface()
}

// Methods are the names of all methods.
func Methods() []string { return slices.Sorted(maps.Keys(messages)) }

var messages = map[string]struct{ in, out proto.Message }{
	"SendMessage":                      {&a2apb.SendMessageRequest{}, &a2apb.SendMessageResponse{}},
	"SendStreamingMessage":             {&a2apb.SendMessageRequest{}, &a2apb.StreamResponse{}},
	"GetTask":                          {&a2apb.GetTaskRequest{}, &a2apb.Task{}},
	"ListTasks":                        {&a2apb.ListTasksRequest{}, &a2apb.ListTasksResponse{}},
	"CancelTask":                       {&a2apb.CancelTaskRequest{}, &a2apb.Task{}},
	"SubscribeToTask":                  {&a2apb.SubscribeToTaskRequest{}, &a2apb.StreamResponse{}},
	"CreateTaskPushNotificationConfig": {&a2apb.TaskPushNotificationConfig{}, &a2apb.TaskPushNotificationConfig{}},
	"ListTaskPushNotificationConfigs":  {&a2apb.ListTaskPushNotificationConfigsRequest{}, &a2apb.ListTaskPushNotificationConfigsResponse{}},
	"GetTaskPushNotificationConfig":    {&a2apb.GetTaskPushNotificationConfigRequest{}, &a2apb.TaskPushNotificationConfig{}},
	"DeleteTaskPushNotificationConfig": {&a2apb.DeleteTaskPushNotificationConfigRequest{}, &emptypb.Empty{}},
	"GetExtendedAgentCard":             {&a2apb.GetExtendedAgentCardRequest{}, &a2apb.AgentCard{}},
}
