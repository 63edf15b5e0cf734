package lambda

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Options configure the HTTP side.
type Options struct {
	Log *slog.Logger // default slog.Default, when a call fails
}

func (o Options) log() *slog.Logger {
	if o.Log != nil {
		return o.Log
	}
	return slog.Default()
}

// reply is a ResponseWriter that does as net/http's: status and headers are settled by the first
// byte, a second status is ignored, and what may have no body gets none.
type reply struct {
	method string
	header http.Header
	begin  func(status int, header http.Header) // called once
	write  func([]byte) (int, error)

	status int // 0: not begun
}

func (w *reply) Header() http.Header { return w.header }

func (w *reply) WriteHeader(status int) {
	if w.status != 0 || status < 200 { // an interim status can't be sent
		return
	}
	w.status = status
	w.begin(status, w.header.Clone())
}

func (w *reply) Write(b []byte) (int, error) {
	if w.status == 0 {
		if _, set := w.header["Content-Type"]; !set && len(b) > 0 {
			w.header.Set("Content-Type", http.DetectContentType(b))
		}
		w.WriteHeader(http.StatusOK)
	}
	switch {
	case w.status == http.StatusNoContent || w.status == http.StatusNotModified:
		return 0, http.ErrBodyNotAllowed
	case w.method == http.MethodHead || len(b) == 0:
		return len(b), nil
	}
	return w.write(b)
}

// Flush sends the headers. Bytes are never held back.
func (w *reply) Flush() { w.WriteHeader(http.StatusOK) }

// errAborted ends a body whose handler panicked: the caller sees a reply that was cut.
var errAborted = errors.New("lambda: the reply was cut short")

// serve calls h and finishes its reply. A panic before the first byte is answered with 500; after
// it the error is errAborted.
func serve(w *reply, r *http.Request, h http.Handler, log *slog.Logger) (err error) {
	defer func() {
		if p := recover(); p != nil {
			reference := report(r.Context(), log, p)
			if w.status != 0 {
				err = errAborted
				return
			}
			clear(w.header)
			fail(w, http.StatusInternalServerError, a2a.ErrInternal(reference))
		}
	}()
	h.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK)
	return nil
}

// report logs a panic under the reference that it returns.
func report(ctx context.Context, log *slog.Logger, p any) (reference string) {
	reference = task.NewID()
	log.ErrorContext(ctx, "lambda: a handler panicked", "reference", reference, "panic", p, "stack", string(debug.Stack()))
	return reference
}

// fail answers with an error that says nothing of the inside.
func fail(w http.ResponseWriter, status int, e *a2a.Error) {
	w.Header().Set("Content-Type", a2a.MediaTypeJSON)
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(a2a.EncodeHTTPError(e, status)) // a caller that went away is nobody to tell
}

// unreadable answers an event that is no request.
func unreadable(w http.ResponseWriter, _ *http.Request) {
	fail(w, http.StatusBadRequest, a2a.ErrInvalidRequest("The request could not be read"))
}
