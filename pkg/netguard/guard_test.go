package netguard

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
)

// R-21, at dial time: a name that is public when it is checked and this machine when it is dialed.
func TestRebindingNameIsRefused(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	names := &rebinding{answers: []netip.Addr{netip.MustParseAddr("93.184.216.34"), netip.MustParseAddr("127.0.0.1")}}
	guard := Guard{resolver: names.resolver()}

	first, err := guard.resolver.LookupNetIP(t.Context(), "ip4", "rebind.example")
	if err != nil || len(first) != 1 || !public(first[0].Unmap()) {
		t.Fatalf("got %v, %v, want a public address at first", first, err)
	}
	_, err = guard.Client().Get("https://rebind.example:" + port + "/")
	if !errors.Is(err, ErrRefused) || reached.Load() != 0 {
		t.Errorf("got %v and %d requests, want ErrRefused and none", err, reached.Load())
	}
}

// a public name is not reached in the clear, whatever networks are allowed beside.
func TestPublicNameOverHTTP(t *testing.T) {
	t.Parallel()
	names := &rebinding{answers: []netip.Addr{netip.MustParseAddr("93.184.216.34")}}
	guard := Guard{Allow: loopback, resolver: names.resolver()}
	if _, err := guard.Client().Get("http://public.example/"); !errors.Is(err, ErrRefused) {
		t.Errorf("got %v, want ErrRefused", err)
	}
}

func TestAllowedNameIsReached(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "hello") }))
	defer server.Close()
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	names := &rebinding{answers: []netip.Addr{netip.MustParseAddr("127.0.0.1")}}
	guard := Guard{Allow: loopback, resolver: names.resolver()}
	resp, err := guard.Client().Get("http://local.example:" + port + "/")
	if err != nil {
		t.Fatalf("got %v, want an answer", err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); string(body) != "hello" || err != nil {
		t.Errorf("got %q, %v, want hello", body, err)
	}
}

func TestClientRefusesBeforeItSends(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer server.Close()
	for name, guard := range map[string]Guard{
		"http":            {},
		"private address": {Allow: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}},
	} {
		if _, err := guard.Client().Post(server.URL, "text/plain", strings.NewReader("x")); !errors.Is(err, ErrRefused) {
			t.Errorf("%s: got %v, want ErrRefused", name, err)
		}
	}
	if n := reached.Load(); n != 0 {
		t.Errorf("got %d requests, want none", n)
	}
}

func TestClientFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	var reached atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached.Add(1)
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	resp, err := Guard{Allow: loopback}.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusTemporaryRedirect || reached.Load() != 1 {
		t.Errorf("got status %d after %d requests, want the redirect itself after one", resp.StatusCode, reached.Load())
	}
}

func TestClientUsesNoProxy(t *testing.T) {
	t.Parallel()
	for scheme, base := range (Guard{}).Client().Transport.(*transport).base {
		if base.Proxy != nil {
			t.Errorf("the client has a proxy for %s, want none: its address would be judged, not the server's", scheme)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/header" {
			w.Header().Set("X-Long", strings.Repeat("x", 2*maxHeader))
		}
		io.WriteString(w, strings.Repeat("x", 101))
	}))
	defer server.Close()
	client := Guard{Allow: loopback, MaxBody: 100}.Client()
	if _, err := client.Get(server.URL + "/header"); err == nil {
		t.Error("got an answer with a long header, want an error")
	}
	resp, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if tooLong := new(http.MaxBytesError); len(body) != 100 || !errors.As(err, &tooLong) {
		t.Errorf("got %d bytes, %v, want 100 and a MaxBytesError", len(body), err)
	}
}

// rebinding is a DNS server that gives every question for an IPv4 address its next answer, and the
// last one for ever.
type rebinding struct {
	answers []netip.Addr
	asked   atomic.Int32
}

func (d *rebinding) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go d.serve(server)
		return client, nil
	}}
}

// serve speaks DNS over TCP: messages behind their length.
func (d *rebinding) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		query := make([]byte, size)
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		reply := d.reply(query)
		conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	}
}

func (d *rebinding) reply(query []byte) []byte {
	const header, tail, typeA = 12, 4, 1
	end := header
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 1 + tail
	reply := append([]byte{}, query[:end]...)
	reply[2], reply[3] = 0x81, 0x80    // a response; recursion was done
	copy(reply[6:12], make([]byte, 6)) // no answer, no additional records
	if binary.BigEndian.Uint16(query[end-tail:]) != typeA {
		return reply
	}
	reply[7] = 1
	next := min(int(d.asked.Add(1)), len(d.answers)) - 1
	reply = append(reply, 0xc0, header, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4)
	return append(reply, d.answers[next].AsSlice()...)
}
