package rest

import (
	"bytes"
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"unicode/utf8"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/binding/httpcall"
)

// queryNames are the parameters that a query may hold, by their two spellings; others are ignored.
var queryNames = map[string]string{
	"contextId": "contextId", "context_id": "contextId",
	"status":   "status",
	"pageSize": "pageSize", "page_size": "pageSize",
	"pageToken": "pageToken", "page_token": "pageToken",
	"historyLength": "historyLength", "history_length": "historyLength",
	"statusTimestampAfter": "statusTimestampAfter", "status_timestamp_after": "statusTimestampAfter",
	"includeArtifacts": "includeArtifacts", "include_artifacts": "includeArtifacts",
}

// params are a request's parameters as JSON. The error is an [*a2a.Error].
func params(w http.ResponseWriter, r *http.Request, ids map[string]string) (json.RawMessage, error) {
	read := queryParams
	if r.Method == http.MethodPost {
		read = bodyParams
	}
	members, err := read(w, r)
	if err != nil {
		return nil, err
	}
	for name, id := range ids {
		if err := addID(members, name, id); err != nil {
			return nil, err
		}
	}
	return a2a.Marshal(members)
}

// notUTF8 refuses what JSON can't say: it would become another text, and another's id.
const notUTF8 = "must be UTF-8"

// queryParams reads each parameter of a query, which is given once, under one of its spellings.
// Strings do for numbers too; booleans are written as JSON.
func queryParams(_ http.ResponseWriter, r *http.Request) (map[string]json.RawMessage, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, a2a.ErrInvalidParams("query", "must be a well-formed query string")
	}
	members := map[string]json.RawMessage{}
	for _, spelling := range slices.Sorted(maps.Keys(query)) { // so that the same fault is always told
		values := query[spelling]
		name, known := queryNames[spelling]
		if !known || len(values) == 1 && values[0] == "" {
			continue
		}
		if _, again := members[name]; again || len(values) > 1 {
			return nil, a2a.ErrInvalidParams(name, "must be given once")
		}
		if !utf8.ValidString(values[0]) {
			return nil, a2a.ErrInvalidParams(name, notUTF8)
		}
		members[name] = quote(values[0])
		if b := values[0]; name == "includeArtifacts" && (b == "true" || b == "false") {
			members[name] = json.RawMessage(b)
		}
	}
	return members, nil
}

// bodyParams reads the members of a body. It may be empty or null where the operation needs none,
// and has no media type then.
func bodyParams(w http.ResponseWriter, r *http.Request) (map[string]json.RawMessage, error) {
	body, err := httpcall.Body(w, r)
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	if len(body) == 0 {
		return members, nil
	}
	if err := httpcall.MediaType(r, a2a.MediaTypeJSON, a2a.MediaTypeA2A); err != nil {
		return nil, err
	}
	if err := a2a.CheckRequest(body); err != nil {
		return nil, err
	}
	if bytes.Equal(bytes.TrimSpace(body), []byte("null")) {
		return members, nil
	}
	if json.Unmarshal(body, &members) != nil {
		return nil, a2a.ErrInvalidParams("body", "must be an object")
	}
	return members, nil
}

// addID adds an id of the path. A body may repeat it, and may not say another.
func addID(members map[string]json.RawMessage, name, id string) error {
	if !utf8.ValidString(id) {
		return a2a.ErrInvalidParams(name, notUTF8)
	}
	quoted := quote(id)
	for _, spelling := range []string{name, snake[name]} {
		var given string
		raw, ok := members[spelling]
		if ok && (json.Unmarshal(raw, &given) != nil || given != "" && given != id) {
			return a2a.ErrInvalidParams(name, "must be that of the path")
		}
		delete(members, spelling)
	}
	members[name] = quoted
	return nil
}

// snake is the other spelling of ids.
var snake = map[string]string{"id": "id", "taskId": "task_id", "interactionId": "interaction_id"}

func quote(s string) json.RawMessage {
	b, _ := a2a.Marshal(s) // a string always encodes
	return b
}
