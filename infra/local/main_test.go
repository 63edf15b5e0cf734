package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/infra/local/system"
)

// A call that is under way when the process is told to stop is answered, and a stream ends.
func TestServeEndsCalls(t *testing.T) {
	t.Parallel()
	a, closeAgent, err := openAgent(settings{agent: "../../agents/coder"})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAgent()
	sys, err := system.Open(system.Options{Agent: a.agent, Card: a.card, URL: "http://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	defer sys.Close()
	var listeners [2]net.Listener
	for i := range listeners {
		if listeners[i], err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
			t.Fatal(err)
		}
	}
	address := listeners[0].Addr().String()
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- serve(ctx, listeners[0], listeners[1], sys) }()

	// begin has the server wait for the body, and finish sends it.
	begin := func(path, text string) (finish func() string) {
		body := `{"message":{"messageId":"` + text + `","role":"ROLE_USER","parts":[{"text":"` + text + `"}]},"configuration":{"returnImmediately":true}}`
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: application/json\r\n"+
			"Content-Length: %d\r\nExpect: 100-continue\r\n\r\n", path, len(body))
		in := bufio.NewReader(conn)
		if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
			t.Fatalf("got %q, %v", line, err)
		}
		in.ReadString('\n')
		return func() string {
			io.WriteString(conn, body)
			r, err := http.ReadResponse(in, nil)
			if err != nil {
				return err.Error()
			}
			all, err := io.ReadAll(r.Body)
			return fmt.Sprint(r.StatusCode, string(all), err)
		}
	}
	send, stream := begin("/message:send", "Wait for me"), begin("/message:stream", "And for me")
	stop()
	select {
	case err := <-served:
		t.Fatalf("served no more while calls were open: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	for name, finish := range map[string]func() string{"a send": send, "a stream": stream} {
		if got := finish(); !strings.HasPrefix(got, "200") || !strings.Contains(got, "TASK_STATE_") || !strings.HasSuffix(got, "<nil>") {
			t.Errorf("%s: got %s", name, got)
		}
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}
