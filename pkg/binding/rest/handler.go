package rest

import (
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/binding/httpcall"
	"github.com/interlude-a2a/interlude/pkg/binding/sse"
	"github.com/interlude-a2a/interlude/pkg/server"
)

type handler struct{ server *server.Server }

// New serves a server's operations on the routes of A2A, from the root of where it is mounted.
func New(s *server.Server) http.Handler { return handler{s} }

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, ok := httpcall.Admit(w, r, h.server, a2a.BindingHTTPJSON)
	if !ok {
		return
	}
	to, ok := find(r.URL.EscapedPath())
	if !ok {
		h.fail(w, r, http.StatusNotFound, a2a.ErrMethodNotFound())
		return
	}
	method, ok := to.methods[r.Method]
	if !ok {
		w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(to.methods)), ", "))
		h.fail(w, r, http.StatusMethodNotAllowed, a2a.ErrMethodNotFound())
		return
	}
	if err := httpcall.Version(r); err != nil {
		h.fail(w, r, 0, err)
		return
	}
	if !httpcall.Accepts(r, answers(method)...) {
		h.fail(w, r, http.StatusNotAcceptable, a2a.ErrContentTypeNotSupported(r.Header.Get("Accept")))
		return
	}
	params, err := params(w, r, to.ids)
	if err != nil {
		h.fail(w, r, statusOf(err), err)
		return
	}
	out := h.server.Call(r.Context(), method, params, c)
	httpcall.Activated(w, out.Extensions)
	if out.Unauthenticated != nil {
		httpcall.Refuse(w, out.Unauthenticated)
		return
	}
	if out.Err != nil {
		h.fail(w, r, 0, out.Err)
		return
	}
	if out.Events != nil {
		sse.Write(w, out.Events, func(e server.Event, err *a2a.Error) []byte { return h.event(r, e, err) })
		return
	}
	h.write(w, r, out.Result)
}

// event is an event of a stream, or the error that ends it, as one line.
func (h handler) event(r *http.Request, e server.Event, failed *a2a.Error) []byte {
	if failed == nil {
		body, err := a2a.Marshal(e.Response)
		if err == nil {
			return body
		}
		failed = h.server.Internal(r.Context(), "HTTP+JSON", err)
	}
	status, _, _ := a2a.ErrorStatus(failed.Code)
	return a2a.EncodeHTTPError(failed, status)
}

// statusOf is the status of an error of the body itself; 0 where the error's own will do.
func statusOf(err error) int {
	var e *a2a.Error
	switch {
	case errors.Is(err, httpcall.ErrTooLarge):
		return http.StatusRequestEntityTooLarge
	case errors.As(err, &e) && e.Code == a2a.CodeContentTypeNotSupported:
		return http.StatusUnsupportedMediaType
	}
	return 0
}

// fail answers with an error, under its own status (SPEC-14) unless another is given.
func (h handler) fail(w http.ResponseWriter, r *http.Request, status int, err error) {
	var e *a2a.Error
	if !errors.As(err, &e) {
		e = h.server.Internal(r.Context(), "HTTP+JSON", err)
	}
	if status == 0 {
		status, _, _ = a2a.ErrorStatus(e.Code)
	}
	httpcall.Write(w, status, mediaType(r), a2a.EncodeHTTPError(e, status))
}

func (h handler) write(w http.ResponseWriter, r *http.Request, result any) {
	body, err := a2a.Marshal(result)
	if err != nil { // a result that is no JSON
		h.fail(w, r, 0, err)
		return
	}
	httpcall.Write(w, http.StatusOK, mediaType(r), body)
}

// answers are the media types that a method's answers may have.
func answers(method string) []string {
	all := []string{a2a.MediaTypeJSON, a2a.MediaTypeA2A}
	if method == "SendStreamingMessage" || method == "SubscribeToTask" {
		all = append(all, sse.MediaType)
	}
	return all
}

// mediaType is that of an answer.
func mediaType(r *http.Request) string {
	if httpcall.Prefers(r, a2a.MediaTypeA2A, a2a.MediaTypeJSON) {
		return a2a.MediaTypeA2A
	}
	return a2a.MediaTypeJSON
}
