package lambda

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

// reserve is what a call leaves of its invocation: what ends with its context is then sent and
// written whole before the platform ends the invocation.
const reserve = 3 * time.Second

// enter is the context of a call: it ends before the invocation does, and knows the event's own.
func enter(ctx context.Context, event events.APIGatewayProxyRequest) (context.Context, context.CancelFunc) {
	return withReserve(context.WithValue(ctx, gatewayKey{}, event.RequestContext))
}

func withReserve(ctx context.Context) (context.Context, context.CancelFunc) {
	if deadline, ok := ctx.Deadline(); ok {
		return context.WithDeadline(ctx, deadline.Add(-reserve))
	}
	return context.WithCancel(ctx)
}

type gatewayKey struct{}

// gateway is what API Gateway says of a request; nothing where it did not come from there.
func gateway(ctx context.Context) events.APIGatewayProxyRequestContext {
	c, _ := ctx.Value(gatewayKey{}).(events.APIGatewayProxyRequestContext)
	return c
}

// newRequest is the request that an HTTP server would have read.
func newRequest(ctx context.Context, event events.APIGatewayProxyRequest) (*http.Request, error) {
	body := []byte(event.Body)
	if event.IsBase64Encoded {
		var err error
		if body, err = base64.StdEncoding.DecodeString(event.Body); err != nil {
			return nil, fmt.Errorf("lambda: the body is not base64: %w", err)
		}
	}
	target := "https://" + cmp.Or(event.RequestContext.DomainName, "localhost") + event.Path
	if len(event.MultiValueQueryStringParameters) > 0 {
		target += "?" + url.Values(event.MultiValueQueryStringParameters).Encode()
	}
	r, err := http.NewRequestWithContext(ctx, event.HTTPMethod, target, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("lambda: no request of an event: %w", err)
	}
	for name, values := range event.MultiValueHeaders {
		for _, value := range values {
			r.Header.Add(name, value)
		}
	}
	r.RequestURI = r.URL.RequestURI()
	r.RemoteAddr = event.RequestContext.Identity.SourceIP
	return r, nil
}

// normal is an event in the one form that is read: many-valued headers and query, no Host among
// the headers, a path that can stand in a URL. Some emulators give single values only, or a path
// that they decoded, where API Gateway keeps it as the caller sent it.
func normal(event events.APIGatewayProxyRequest) events.APIGatewayProxyRequest {
	event.MultiValueHeaders = many(event.MultiValueHeaders, event.Headers)
	for name := range event.MultiValueHeaders {
		if strings.EqualFold(name, "Host") {
			delete(event.MultiValueHeaders, name) // the caller's word only
		}
	}
	event.MultiValueQueryStringParameters = many(event.MultiValueQueryStringParameters, event.QueryStringParameters)
	event.Path = escapePath(event.Path)
	return event
}

// many is a copy of values, or of single where there are none.
func many(values map[string][]string, single map[string]string) map[string][]string {
	all := make(map[string][]string, len(values)+len(single))
	for name, v := range values {
		all[name] = v
	}
	if len(values) == 0 {
		for name, v := range single {
			all[name] = []string{v}
		}
	}
	return all
}

// escapePath escapes what can't stand in a URL's path, and leaves alone what is escaped already.
func escapePath(path string) string {
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	var out strings.Builder
	for i := range len(path) {
		switch c := path[i]; {
		case c == '%' && escape(path[i:]), c > ' ' && c < 0x7f && !strings.ContainsRune("%?#\"<>\\^`{|}", rune(c)):
			out.WriteByte(c)
		default:
			fmt.Fprintf(&out, "%%%02X", c)
		}
	}
	return out.String()
}

// escape reports whether s begins with a percent-encoded byte.
func escape(s string) bool {
	if len(s) < 3 {
		return false
	}
	_, err := url.PathUnescape(s[:3])
	return err == nil
}
