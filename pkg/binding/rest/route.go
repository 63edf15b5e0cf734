package rest

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/server"
)

// resource is what a path names: the A2A method by each HTTP method it takes, and the parameters
// that stand in the path.
type resource struct {
	methods map[string]string
	ids     map[string]string
}

// The resources without ids, by path.
var plain = map[string]map[string]string{
	"message:send":      {http.MethodPost: "SendMessage"},
	"message:stream":    {http.MethodPost: "SendStreamingMessage"},
	"tasks":             {http.MethodGet: "ListTasks"},
	"extendedAgentCard": {http.MethodGet: "GetExtendedAgentCard"},
}

// Those with ids.
var (
	taskMethods    = map[string]string{http.MethodGet: "GetTask"}
	configsMethods = map[string]string{
		http.MethodPost: "CreateTaskPushNotificationConfig",
		http.MethodGet:  "ListTaskPushNotificationConfigs",
	}
	configMethods = map[string]string{
		http.MethodGet:    "GetTaskPushNotificationConfig",
		http.MethodDelete: "DeleteTaskPushNotificationConfig",
	}
	heldMethods = map[string]string{http.MethodGet: server.GetHeldCall} // ours
)

// verbs of a task, behind the last colon of its id. A subscription is a GET by the proto and a
// POST by the text of the protocol: both are served.
var verbs = map[string]map[string]string{
	"cancel":    {http.MethodPost: "CancelTask"},
	"subscribe": {http.MethodGet: "SubscribeToTask", http.MethodPost: "SubscribeToTask"},
}

// find is the resource of an escaped path; false where there is none.
func find(path string) (resource, bool) {
	segments := strings.Split(strings.TrimPrefix(path, "/"), "/")
	if len(segments) == 1 {
		methods, ok := plain[segments[0]]
		return resource{methods: methods}, ok
	}
	if segments[0] != "tasks" {
		return resource{}, false
	}
	switch {
	case len(segments) == 2:
		id, methods := cutVerb(segments[1])
		return withIDs(methods, "id", id)
	case len(segments) == 3 && segments[2] == "pushNotificationConfigs":
		return withIDs(configsMethods, "taskId", segments[1])
	case len(segments) == 4 && segments[2] == "pushNotificationConfigs":
		return withIDs(configMethods, "taskId", segments[1], "id", segments[3])
	case len(segments) == 5 && segments[2] == "interactions" && segments[4] == "call":
		return withIDs(heldMethods, "taskId", segments[1], "interactionId", segments[3])
	}
	return resource{}, false
}

// cutVerb parts a task's id from the verb behind its last colon. What is no verb is of the id.
func cutVerb(segment string) (id string, methods map[string]string) {
	if i := strings.LastIndexByte(segment, ':'); i >= 0 {
		if methods, ok := verbs[segment[i+1:]]; ok {
			return segment[:i], methods
		}
	}
	return segment, taskMethods
}

// withIDs is a resource with the ids of its path, by name.
func withIDs(methods map[string]string, namesAndIDs ...string) (resource, bool) {
	r := resource{methods: methods, ids: map[string]string{}}
	for i := 0; i < len(namesAndIDs); i += 2 {
		id, err := url.PathUnescape(namesAndIDs[i+1])
		if err != nil || id == "" {
			return resource{}, false
		}
		r.ids[namesAndIDs[i]] = id
	}
	return r, true
}
