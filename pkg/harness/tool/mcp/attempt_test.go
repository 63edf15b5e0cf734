package mcp

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// net/http sends a POST again by itself on a reused connection that died, if it has an
// Idempotency-Key and the body can be had again. Of ours it cannot, whatever the headers.
func TestTransportSendsOnce(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	requests := make(chan string, 8)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go serveUntilCall(conn, requests)
		}
	}()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: &transport{base: base}}
	for _, body := range []string{"list", "call"} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+listener.Addr().String(), strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Idempotency-Key", "eff_1")
		resp, err := client.Do(r)
		if failed := err != nil; failed != (body == "call") {
			t.Fatalf("%s: got %v", body, err)
		}
		if err == nil {
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}
	var got []string
	for len(requests) > 0 {
		got = append(got, <-requests)
	}
	if strings.Join(got, " ") != "list call" {
		t.Errorf("the server got %v, want each request once", got)
	}
}

// What follows a call on its context, a cancellation or a stream's resumption, is not the call.
func TestAttemptIsOfOneCall(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		every    bool
		methods  []string
		statuses []int
		want     int
	}{
		"a call and what follows it": {false, []string{"POST", "POST"}, []int{200, 401}, 200},
		"a connection's handshake":   {true, []string{"POST", "POST"}, []int{400, 401}, 401},
		"a stream that is resumed":   {true, []string{"POST", "GET"}, []int{200, 404}, 200},
	} {
		ctx, a := begin(t.Context(), tt.every)
		for i, method := range tt.methods {
			answers := roundTripper(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: tt.statuses[i], Body: http.NoBody}, nil
			})
			r, err := http.NewRequestWithContext(ctx, method, "http://tracker.example/", nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := (&transport{base: answers}).RoundTrip(r); err != nil {
				t.Fatal(err)
			}
		}
		if a.status != tt.want {
			t.Errorf("%s: got status %d, want %d", name, a.status, tt.want)
		}
	}
}

// A server that asks without end while it answers is answered no more at some point; its calls go on.
func TestServerAsksWithoutEnd(t *testing.T) {
	t.Parallel()
	sent := 0
	ours := &transport{base: roundTripper(func(*http.Request) (*http.Response, error) {
		sent++
		return &http.Response{StatusCode: 202, Body: http.NoBody}, nil
	})}
	post := func(ctx context.Context) error {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://tracker.example/", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = ours.RoundTrip(r)
		return err
	}
	for range maxAsked {
		if err := post(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := post(t.Context()); !errors.Is(err, errAskedTooMuch) || sent != maxAsked {
		t.Errorf("got %v after %d", err, sent)
	}
	ctx, _ := begin(t.Context(), false)
	if err := post(ctx); err != nil {
		t.Errorf("a call: got %v", err)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// a connection alone sends nothing, but a request whose context ended may still be on its way.
func TestOutcomeWithoutAnswer(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	unreached := tool.NotSent{Reason: reasonUnreached, Passing: true}
	for name, tt := range map[string]struct {
		ctx     context.Context
		attempt *attempt
		want    tool.Outcome
	}{
		"no connection":                     {t.Context(), &attempt{}, unreached},
		"no connection in time":             {ended, &attempt{}, unreached},
		"a connection that broke":           {t.Context(), &attempt{connected: true}, unreached},
		"a connection when time was up":     {ended, &attempt{connected: true}, tool.Unknown{Reason: reasonNoAnswer}},
		"sent":                              {t.Context(), &attempt{connected: true, sent: true}, tool.Unknown{Reason: reasonLost}},
		"sent, and time was up":             {ended, &attempt{connected: true, sent: true}, tool.Unknown{Reason: reasonNoAnswer}},
		"an answer began when time was up":  {ended, &attempt{connected: true, sent: true, status: 200}, tool.Unknown{Reason: reasonNoAnswer}},
		"a refusal came before time was up": {ended, &attempt{connected: true, sent: true, status: 404}, tool.NotSent{Reason: reasonRefused}},
	} {
		got := (&Server{}).outcome(tt.ctx, tt.attempt, nil, errors.New("failed"))
		if got != tt.want {
			t.Errorf("%s: got %#v, want %#v", name, got, tt.want)
		}
	}
}

// serveUntilCall answers every request but a call, at which it hangs up.
func serveUntilCall(conn net.Conn, requests chan<- string) {
	defer conn.Close()
	for in := bufio.NewReader(conn); ; {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(r.Body)
		requests <- string(body)
		if string(body) == "call" {
			return
		}
		io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
	}
}
