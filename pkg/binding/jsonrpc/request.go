package jsonrpc

import (
	"bytes"
	"encoding/json"
	"errors"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

const version = "2.0"

// maxID is the most bytes of a request's id as it is written.
const maxID = 256

var null = json.RawMessage("null")

// request is a call as JSON-RPC has it. Its id is null until a good one was read.
type request struct {
	id     json.RawMessage
	method string
	params json.RawMessage
}

// decode reads a request. On an error, an [*a2a.Error], the request holds at least the id to
// answer with.
func decode(body []byte) (request, error) {
	r := request{id: null}
	if err := a2a.CheckEnvelope(body); err != nil {
		if e := new(a2a.Error); errors.As(err, &e) && e.Code == a2a.CodeInvalidRequest {
			r.id = idOf(body)
		}
		return r, err
	}
	var members map[string]json.RawMessage // not a struct, which would match names in any case
	if json.Unmarshal(body, &members) != nil || members == nil {
		return r, a2a.ErrInvalidRequest("The request must be one JSON object; there are no batches")
	}
	id, ok := members["id"]
	if !ok || !validID(id) {
		return r, a2a.ErrInvalidRequest("The request must have an id: a string, a number or null")
	}
	r.id = id
	if text(members["jsonrpc"]) != version {
		return r, a2a.ErrInvalidRequest(`The request's jsonrpc must be "2.0"`)
	}
	if r.method = text(members["method"]); r.method == "" {
		return r, a2a.ErrInvalidRequest("The request must have a method")
	}
	r.params = members["params"]
	return r, nil
}

// idOf is the one good id of a request that holds something else which is refused, or null.
func idOf(body []byte) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(body))
	if begin, err := d.Token(); err != nil || begin != json.Delim('{') {
		return null
	}
	id, seen := null, false
	for d.More() {
		name, err := d.Token()
		var value json.RawMessage
		if err != nil || d.Decode(&value) != nil || name == "id" && (seen || !validID(value) || a2a.CheckRequest(value) != nil) {
			return null
		}
		if name == "id" {
			id, seen = value, true
		}
	}
	return id
}

func validID(id json.RawMessage) bool {
	if len(id) > maxID {
		return false
	}
	switch id[0] {
	case '{', '[', 't', 'f':
		return false
	}
	return true
}

// text is the value of a JSON string; empty for anything else.
func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}
