package lambda

import (
	"context"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
	"github.com/awslabs/aws-lambda-go-api-proxy/httpadapter"
)

// BufferedHandler is what aws-lambda-go's Start takes for an integration that buffers.
type BufferedHandler func(context.Context, events.APIGatewayProxyRequest) (events.APIGatewayProxyResponse, error)

// Buffered serves the events of a REST API whose integration buffers replies: they go out whole
// when the handler returns, as text where they are UTF-8, else as base64. A handler that panics is
// answered for with 500, as long as it wrote nothing; with half a reply the invocation fails.
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
		var cut error
		adapter := httpadapter.New(http.HandlerFunc(func(inner http.ResponseWriter, r *http.Request) {
			w := &reply{method: r.Method, header: http.Header{}, write: inner.Write, begin: beginOn(inner)}
			cut = serve(w, r, handler, o.log())
		}))
		out, err := adapter.ProxyWithContext(ctx, event)
		if cut != nil {
			return events.APIGatewayProxyResponse{}, cut
		}
		return out, err
	}
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
