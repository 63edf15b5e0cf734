package mcp

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
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
