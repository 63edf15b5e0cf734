package lambda

import (
	"context"
	"io"
	"log/slog"

	"github.com/aws/aws-lambda-go/lambdacontext"
)

// NewLog writes lines of JSON to w, which in a function is its standard output, with the id of the
// invocation that a line belongs to.
func NewLog(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(logHandler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: named})})
}

// named names attributes as Lambda does, and what is always written, above all errors, for what it is.
func named(groups []string, a slog.Attr) slog.Attr {
	if level, ok := a.Value.Any().(slog.Level); ok && len(groups) == 0 && a.Key == slog.LevelKey && level > slog.LevelError {
		a.Value = slog.StringValue("AUDIT")
	}
	return lambdacontext.ReplaceAttr(groups, a)
}

type logHandler struct{ slog.Handler }

func (h logHandler) Handle(ctx context.Context, r slog.Record) error {
	if invocation, ok := lambdacontext.FromContext(ctx); ok {
		r.AddAttrs(slog.String("requestId", invocation.AwsRequestID))
	}
	return h.Handler.Handle(ctx, r)
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return logHandler{h.Handler.WithAttrs(attrs)}
}

func (h logHandler) WithGroup(name string) slog.Handler {
	return logHandler{h.Handler.WithGroup(name)}
}
