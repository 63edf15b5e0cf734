// Package sse writes the streams of both HTTP bindings as server-sent events: one data line an
// event, with the id that a follower continues behind (Last-Event-ID), and a comment when nothing
// happens for a while, so that no gateway takes the stream for dead.
package sse

import (
	"bytes"
	"net/http"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// MediaType is that of a stream.
const MediaType = "text/event-stream"

// keepAlive is how long a stream says nothing, at most.
const keepAlive = 15 * time.Second

// patience is how long a caller may take to read what is written.
const patience = 30 * time.Second

// Write answers with a stream. encode is an event as one line of JSON, or the error that ends the
// stream. It returns when the stream has ended or the caller has gone.
func Write(w http.ResponseWriter, events server.Events, encode func(server.Event, *a2a.Error) []byte) {
	h := w.Header()
	h.Set("Content-Type", MediaType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	s := &stream{w: w, flush: http.NewResponseController(w)}
	s.idle = time.AfterFunc(keepAlive, s.comment)
	defer s.close()
	_ = s.flush.Flush() // the caller sees that it follows, though nothing may happen for long
	for e, err := range events {
		if !s.event(e.ID, encode(e, err)) || err != nil {
			return
		}
	}
}

// stream is one answer under way.
type stream struct {
	mu    sync.Mutex // guards w: comments come from a timer
	w     http.ResponseWriter
	flush *http.ResponseController
	idle  *time.Timer
	over  bool
}

// event writes an event. It reports whether the caller is still there.
func (s *stream) event(id string, data []byte) bool {
	var b bytes.Buffer
	if id != "" {
		b.WriteString("id: " + id + "\n")
	}
	b.WriteString("data: ")
	b.Write(data)
	b.WriteString("\n\n")
	return s.write(b.Bytes())
}

func (s *stream) comment() { s.write([]byte(": keep-alive\n\n")) }

func (s *stream) write(b []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return false
	}
	_ = s.flush.SetWriteDeadline(time.Now().Add(patience)) // where it can be set
	if _, err := s.w.Write(b); err != nil || s.flush.Flush() != nil {
		s.over = true
		return false
	}
	s.idle.Reset(keepAlive)
	return true
}

func (s *stream) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.idle.Stop()
	_ = s.flush.SetWriteDeadline(time.Time{}) // of the connection, which goes on
}
