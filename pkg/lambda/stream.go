package lambda

import (
	"context"
	"io"
	"net/http"

	"github.com/aws/aws-lambda-go/events"
)

// StreamedHandler is what aws-lambda-go's Start takes for an integration that streams.
type StreamedHandler func(context.Context, events.APIGatewayProxyRequest) (*events.APIGatewayProxyStreamingResponse, error)

// Streamed serves the events of a REST API whose integration streams replies: status and headers
// go out with the first byte, or when the handler flushes, and each write as it is made. Write
// waits until the platform took the bytes.
//
// The request's context ends 3 s before the invocation, and when nobody reads the reply any more.
// A handler that panics after the first byte cuts the reply.
func Streamed(h http.Handler, o Options) StreamedHandler {
	return func(ctx context.Context, event events.APIGatewayProxyRequest) (*events.APIGatewayProxyStreamingResponse, error) {
		event = normal(event)
		ctx, cancel := enter(ctx, event)
		handler := h
		r, err := newRequest(ctx, event)
		if err != nil {
			o.log().WarnContext(ctx, "lambda: an event is no request", "error", err)
			handler, r = http.HandlerFunc(unreadable), (&http.Request{}).WithContext(ctx)
		}
		body, sink := io.Pipe()
		begun := make(chan *events.APIGatewayProxyStreamingResponse, 1)
		w := &reply{method: r.Method, header: http.Header{}, write: sink.Write}
		w.begin = func(status int, header http.Header) {
			begun <- &events.APIGatewayProxyStreamingResponse{
				StatusCode: status, MultiValueHeaders: header, Body: &streamBody{body, cancel},
			}
		}
		go func() { sink.CloseWithError(serve(w, r, handler, o.log())) }()
		return <-begun, nil
	}
}

// streamBody ends its handler's context when it is closed, read to its end or not.
type streamBody struct {
	*io.PipeReader
	cancel context.CancelFunc
}

func (b *streamBody) Close() error {
	b.cancel()
	return b.PipeReader.Close()
}
