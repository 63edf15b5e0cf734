package lambda

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// BufferedHandler is what aws-lambda-go's Start takes for an integration that buffers.
type BufferedHandler func(context.Context, events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error)

// Buffered serves the events of a REST API whose integration buffers replies: they go out whole
// when the handler returns, as text where they are UTF-8, else as base64. A handler that panics is
// answered for with 500, as long as it wrote nothing; with half a reply the invocation fails. In
// place of a reply above the 6 MB that Lambda returns goes a 500 that says so.
//
// The request's context ends 3 s before the invocation.
func Buffered(h http.Handler, o Options) BufferedHandler {
	return func(ctx context.Context, event events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error) {
		event = normal(event)
		ctx, cancel := enter(ctx, event)
		defer cancel()
		handler := h
		if _, err := newRequest(ctx, event); err != nil {
			o.log().WarnContext(ctx, "lambda: an event is no request", "error", err)
			handler, event = http.HandlerFunc(unreadable), events.APIGatewayProxyRequest{Path: "/"}
		}
		out, err := whole(ctx, event, handler, o.log())
		if err == nil && oversized(out) {
			o.log().WarnContext(ctx, "lambda: a reply is too large to be buffered", "bytes", len(out.Body))
			return whole(ctx, event, http.HandlerFunc(askForLess), o.log())
		}
		return out, err
	}
}

// whole is all of h's reply.
func whole(ctx context.Context, event events.APIGatewayProxyRequest, h http.Handler, log *slog.Logger) (events.APIGatewayProxyResponse, error) {
	var cut error
	adapter := httpadapter.New(http.HandlerFunc(func(inner http.ResponseWriter, r *http.Request) {
		w := &reply{method: r.Method, header: http.Header{}, write: inner.Write, begin: beginOn(inner)}
		cut = serve(w, r, h, log)
	}))
	out, err := adapter.ProxyWithContext(ctx, event)
	if cut != nil {
		return events.APIGatewayProxyResponse{}, cut
	}
	return out, err
}

// beginOn settles status and headers on the adapter's own writer, which asks for a status and
// would take headers until the end.
func beginOn(w http.ResponseWriter) func(int, http.Header) {
	return func(status int, header http.Header) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.WriteHeader(status)
	}
}

// maxReply is what Lambda returns of a function that does not stream, in bytes of JSON.
const maxReply = 6_291_556

// oversized reports whether Lambda would drop a reply. Most are too small to be encoded to know:
// JSON makes at most 6 bytes of one.
func oversized(out events.APIGatewayProxyResponse) bool {
	if len(out.Body) < maxReply/7 {
		return false
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // as aws-lambda-go encodes it
	err := e.Encode(out)
	return err != nil || b.Len() > maxReply
}

// askForLess answers in place of a reply that is too large. What was asked is done: only its reply
// can't be had.
func askForLess(w http.ResponseWriter, _ *http.Request) {
	fail(w, http.StatusInternalServerError, &a2a.Error{
		Code:    a2a.CodeInternal,
		Message: "The reply is above 6 MB, which is more than this deployment returns at once: ask for less history, fewer artifacts or a smaller page",
	})
}
