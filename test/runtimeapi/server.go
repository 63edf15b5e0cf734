// Package runtimeapi is the Runtime API of AWS Lambda for tests: a function's bootstrap asks it for
// invocations and posts its replies, which a test reads as they come. Emulators of AWS hold a
// streamed reply back until it is whole.
//
// It gives one invocation at a time to each function that asks, and ends none at its deadline.
package runtimeapi

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const base = "/2018-06-01/runtime/"

// Server is the Runtime API. A Server is safe for concurrent use.
type Server struct {
	http  *httptest.Server
	queue chan *invocation
	inits chan error

	mu      sync.Mutex
	count   int
	running map[string]*invocation // by id
}

// invocation is an event on its way to a reply.
type invocation struct {
	id       string
	event    []byte
	deadline time.Time
	reply    chan *Reply // gets one
}

// New starts a server that ends with the test. A function finds it by AWS_LAMBDA_RUNTIME_API.
func New(t testing.TB) *Server {
	s := &Server{queue: make(chan *invocation), inits: make(chan error, 1), running: map[string]*invocation{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+base+"invocation/next", s.next)
	mux.HandleFunc("POST "+base+"invocation/{id}/response", s.respond)
	mux.HandleFunc("POST "+base+"invocation/{id}/error", s.fail)
	mux.HandleFunc("POST "+base+"init/error", s.failInit)
	s.http = httptest.NewServer(mux)
	t.Cleanup(func() {
		s.http.CloseClientConnections()
		s.http.Close()
	})
	return s
}

// Address is the value of AWS_LAMBDA_RUNTIME_API.
func (s *Server) Address() string { return strings.TrimPrefix(s.http.URL, "http://") }

// InitErrors tells why a function could not start.
func (s *Server) InitErrors() <-chan error { return s.inits }

// Invoke gives an event to a function and returns when the reply has begun. The error is an
// *[Error] where the function failed before. The function is told the deadline, in milliseconds.
func (s *Server) Invoke(ctx context.Context, event []byte, deadline time.Time) (*Reply, error) {
	s.mu.Lock()
	s.count++
	in := &invocation{id: fmt.Sprintf("invocation-%d", s.count), event: event, deadline: deadline, reply: make(chan *Reply, 1)}
	s.running[in.id] = in
	s.mu.Unlock()
	select {
	case s.queue <- in:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	select {
	case r := <-in.reply:
		return r, r.begin()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (s *Server) next(w http.ResponseWriter, r *http.Request) {
	select {
	case in := <-s.queue:
		h := w.Header()
		h.Set("Lambda-Runtime-Aws-Request-Id", in.id)
		h.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(in.deadline.UnixMilli(), 10))
		h.Set("Lambda-Runtime-Invoked-Function-Arn", "arn:aws:lambda:eu-central-1:123456789012:function:tested")
		h.Set("Lambda-Runtime-Trace-Id", "Root=1-00000000-000000000000000000000000")
		h.Set("Content-Type", "application/json")
		w.Write(in.event)
	case <-r.Context().Done():
	}
}

// take is the invocation that a function replies to, which it does once.
func (s *Server) take(w http.ResponseWriter, r *http.Request) *invocation {
	s.mu.Lock()
	defer s.mu.Unlock()
	in := s.running[r.PathValue("id")]
	if in == nil {
		http.Error(w, "no such invocation", http.StatusBadRequest)
	}
	delete(s.running, r.PathValue("id"))
	return in
}

// respond passes a body on as it comes.
func (s *Server) respond(w http.ResponseWriter, r *http.Request) {
	in := s.take(w, r)
	if in == nil {
		return
	}
	reply := newReply(r.Header.Get("Content-Type"))
	in.reply <- reply
	reply.pass(r)
	w.WriteHeader(http.StatusAccepted)
}

func (s *Server) fail(w http.ResponseWriter, r *http.Request) {
	in := s.take(w, r)
	if in == nil {
		return
	}
	reply := newReply("")
	reply.end(readError(r.Body))
	in.reply <- reply
	w.WriteHeader(http.StatusAccepted)
}

func (s *Server) failInit(w http.ResponseWriter, r *http.Request) {
	select {
	case s.inits <- readError(r.Body):
	default: // the first one is why
	}
	w.WriteHeader(http.StatusAccepted)
}

// Error is what a function says of its failure.
type Error struct {
	Type    string `json:"errorType"`
	Message string `json:"errorMessage"`
}

func (e *Error) Error() string { return "runtimeapi: " + e.Type + ": " + e.Message }

func readError(from io.Reader) error {
	e := &Error{}
	if err := json.NewDecoder(from).Decode(e); err != nil {
		return fmt.Errorf("runtimeapi: an error that is none: %w", err)
	}
	return e
}
