package lambda

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
)

var get = events.APIGatewayProxyRequest{HTTPMethod: "GET", Path: "/"}

func TestStreamedSendsPiecesAsTheyAreMade(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		next := make(chan string)
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.NewResponseController(w).Flush()
			for s := range next {
				io.WriteString(w, s)
			}
		})
		out, err := Streamed(h, quiet)(t.Context(), get)
		if err != nil || out.StatusCode != http.StatusOK {
			t.Fatalf("got %+v, %v, want 200 before the first byte", out, err)
		}
		for _, want := range []string{"one", "two"} {
			next <- want
			b := make([]byte, 8)
			if n, err := out.Body.Read(b); err != nil || string(b[:n]) != want {
				t.Errorf("read: got %q, %v, want %q", b[:n], err, want)
			}
		}
		close(next)
		if rest, err := io.ReadAll(out.Body); err != nil || len(rest) > 0 {
			t.Errorf("end: got %q, %v, want a clean one", rest, err)
		}
	})
}

func TestStreamedEndsTheHandlerWhenNobodyReads(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan error, 1)
		h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			http.NewResponseController(w).Flush()
			<-r.Context().Done()
			_, err := io.WriteString(w, "late")
			ended <- err
		})
		out, err := Streamed(h, quiet)(t.Context(), get)
		if err != nil {
			t.Fatal(err)
		}
		out.Close()
		if err := <-ended; !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("a late write: got %v, want %v", err, io.ErrClosedPipe)
		}
	})
}

// A handler that waits for its context has time to end its reply before the platform does.
func TestContextEndsBeforeTheInvocation(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"streamed", "buffered"} {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				<-r.Context().Done()
				io.WriteString(w, "as it stands")
			})
			if got := callWith(t, ctx, name, h); got != "as it stands" {
				t.Errorf("%s: got %q, want the whole reply", name, got)
			}
			if got, want := time.Since(start), time.Minute-reserve; got != want {
				t.Errorf("%s: the context ended after %v, want %v", name, got, want)
			}
		})
	}
}

func callWith(t *testing.T, ctx context.Context, door string, h http.Handler) string {
	t.Helper()
	if door == "buffered" {
		out, err := Buffered(h, quiet)(ctx, get)
		if err != nil {
			t.Fatal(err)
		}
		return out.Body
	}
	out, err := Streamed(h, quiet)(ctx, get)
	if err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(out.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestPanicBeforeTheReply(t *testing.T) {
	t.Parallel()
	for _, door := range []string{"streamed", "buffered"} {
		var log bytes.Buffer
		o := Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}
		h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Half", "1")
			panic("the secret is out")
		})
		var status int
		var header http.Header
		var body string
		if door == "buffered" {
			out, err := Buffered(h, o)(t.Context(), get)
			if err != nil {
				t.Fatal(err)
			}
			status, header, body = out.StatusCode, out.MultiValueHeaders, out.Body
		} else {
			out, err := Streamed(h, o)(t.Context(), get)
			if err != nil {
				t.Fatal(err)
			}
			b, err := io.ReadAll(out.Body)
			if err != nil {
				t.Errorf("%s: the body: got %v, want a clean end", door, err)
			}
			status, header, body = out.StatusCode, out.MultiValueHeaders, string(b)
		}
		var logged struct{ Reference, Panic string }
		if err := json.Unmarshal(log.Bytes(), &logged); err != nil {
			t.Fatalf("%s: the log: %v", door, err)
		}
		if status != http.StatusInternalServerError || header.Get("X-Half") != "" || strings.Contains(body, "secret") {
			t.Errorf("%s: got %d %v %s, want 500 that says nothing of the inside", door, status, header, body)
		}
		if logged.Reference == "" || !strings.Contains(body, logged.Reference) || logged.Panic != "the secret is out" {
			t.Errorf("%s: got log %+v and body %s, want one reference in both", door, logged, body)
		}
	}
}

func TestPanicAfterTheReplyBegan(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	o := Options{Log: slog.New(slog.NewJSONHandler(&log, nil))}
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, "half")
		panic("no more")
	})
	out, err := Streamed(h, o)(t.Context(), get)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(out.Body); !errors.Is(err, errAborted) || string(b) != "half" {
		t.Errorf("streamed: got %q, %v, want half and %v", b, err, errAborted)
	}
	if _, err := Buffered(h, o)(t.Context(), get); !errors.Is(err, errAborted) {
		t.Errorf("buffered: got %v, want %v", err, errAborted)
	}
	if got := strings.Count(log.String(), "no more"); got != 2 {
		t.Errorf("the log names the panic %d times, want 2:\n%s", got, &log)
	}
}
