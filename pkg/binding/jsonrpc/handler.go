package jsonrpc

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/binding/httpcall"
	"github.com/interlude-a2a/interlude/pkg/binding/sse"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// response is what every call is answered with: a result or an error.
type response struct {
	JSONRPC string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Result  any             `json:"result,omitempty"`
	Error   *a2a.Error      `json:"error,omitempty"`
}

type handler struct{ server *server.Server }

// New serves a server's operations on whatever path it is mounted at.
func New(s *server.Server) http.Handler { return handler{s} }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, ok := httpcall.Admit(w, r, h.server, a2a.BindingJSONRPC)
	if !ok {
		return
	}
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		h.fail(w, r, http.StatusMethodNotAllowed, null, a2a.ErrInvalidRequest("Requests are sent by POST"))
		return
	}
	body, err := h.body(w, r)
	if err != nil {
		status := http.StatusOK
		if errors.Is(err, httpcall.ErrTooLarge) {
			status = http.StatusRequestEntityTooLarge
		}
		h.fail(w, r, status, null, err)
		return
	}
	req, err := decode(body)
	if err == nil {
		err = httpcall.Version(r)
	}
	if err != nil {
		h.fail(w, r, http.StatusOK, req.id, err)
		return
	}
	out := h.server.Call(r.Context(), req.method, req.params, c)
	httpcall.Activated(w, out.Extensions)
	if out.Unauthenticated != nil {
		httpcall.Refuse(w, out.Unauthenticated)
		return
	}
	if out.Events != nil {
		sse.Write(w, out.Events, func(e server.Event, err *a2a.Error) []byte {
			if err != nil {
				return h.encode(r, response{ID: req.id, Error: err})
			}
			return h.encode(r, response{ID: req.id, Result: e.Response})
		})
		return
	}
	h.write(w, r, http.StatusOK, response{ID: req.id, Result: out.Result, Error: out.Err})
}

func (handler) body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	if err := httpcall.MediaType(r, a2a.MediaTypeJSON); err != nil {
		return nil, err
	}
	return httpcall.Body(w, r)
}

// fail answers with an error of this package or of httpcall: an [*a2a.Error].
func (h handler) fail(w http.ResponseWriter, r *http.Request, status int, id json.RawMessage, err error) {
	var e *a2a.Error
	if !errors.As(err, &e) {
		e = h.server.Internal(r.Context(), "JSON-RPC", err)
	}
	h.write(w, r, status, response{ID: id, Error: e})
}

func (h handler) write(w http.ResponseWriter, r *http.Request, status int, answer response) {
	httpcall.Write(w, status, a2a.MediaTypeJSON, h.encode(r, answer))
}

func (h handler) encode(r *http.Request, answer response) []byte {
	answer.JSONRPC = version
	body, err := a2a.Marshal(answer)
	if err != nil { // a result that is no JSON
		answer.Result, answer.Error = nil, h.server.Internal(r.Context(), "JSON-RPC", err)
		body, _ = a2a.Marshal(answer) // strings and numbers always encode
	}
	return body
}
