package sse

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/server"
)

func encode(e server.Event, err *a2a.Error) []byte {
	if err != nil {
		return []byte(`{"error":"` + err.Message + `"}`)
	}
	return []byte(`{"event":"` + e.ID + `"}`)
}

// Events, an error as the last one, and nothing behind it.
func TestWrite(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	Write(w, func(yield func(server.Event, *a2a.Error) bool) {
		_ = yield(server.Event{ID: "1"}, nil) && yield(server.Event{}, nil) && yield(server.Event{}, &a2a.Error{Message: "broken"}) && yield(server.Event{ID: "9"}, nil)
	}, encode)
	const want = "id: 1\ndata: {\"event\":\"1\"}\n\ndata: {\"event\":\"\"}\n\ndata: {\"error\":\"broken\"}\n\n"
	if got := w.Body.String(); got != want || w.Code != http.StatusOK {
		t.Errorf("got %d %q, want %q", w.Code, got, want)
	}
	for name, want := range map[string]string{"Content-Type": "text/event-stream", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff"} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// pipe is a response that its reader reads as it is written.
type pipe struct {
	header  http.Header
	w       io.Writer
	flushed int
}

func (p *pipe) Header() http.Header         { return p.header }
func (p *pipe) WriteHeader(int)             {}
func (p *pipe) Write(b []byte) (int, error) { return p.w.Write(b) }
func (p *pipe) Flush()                      { p.flushed++ }

// A stream in which nothing happens says so, and stops that when it has ended.
func TestKeepAlive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, w := io.Pipe()
		out := &pipe{header: http.Header{}, w: w}
		began := time.Now()
		go func() {
			Write(out, func(yield func(server.Event, *a2a.Error) bool) {
				yield(server.Event{ID: "1"}, nil)
				time.Sleep(40 * time.Second)
				yield(server.Event{ID: "2"}, nil)
			}, encode)
			time.Sleep(time.Minute)
			w.Close()
		}()
		var lines []string
		for s := bufio.NewScanner(r); s.Scan(); {
			if line := s.Text(); line != "" && !strings.HasPrefix(line, "id") {
				lines = append(lines, time.Since(began).String()+" "+line)
			}
		}
		want := `0s data: {"event":"1"}|15s : keep-alive|30s : keep-alive|40s data: {"event":"2"}`
		if got := strings.Join(lines, "|"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if out.flushed != 5 {
			t.Errorf("flushed %d times, want the header and each piece", out.flushed)
		}
	})
}

// The header goes out before anything happens: a follower that goes on behind the last event sees that
// it follows.
func TestHeaderGoesFirst(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	Write(w, func(func(server.Event, *a2a.Error) bool) {
		if !w.Flushed {
			t.Error("nothing had been sent when the wait for events began")
		}
	}, encode)
}

// A caller who reads nothing holds a stream no longer than a while.
func TestCallerReadsNothing(t *testing.T) {
	t.Parallel()
	w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
	Write(w, func(yield func(server.Event, *a2a.Error) bool) { yield(server.Event{ID: "1"}, nil) }, encode)
	if len(w.set) != 2 || w.set[0].IsZero() || !w.set[1].IsZero() {
		t.Errorf("write deadlines %v, want one for the event, and none behind the stream", w.set)
	}
}

// deadlines is a response whose connection can be given up.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetWriteDeadline(at time.Time) error { d.set = append(d.set, at); return nil }

// A caller who has gone ends the stream at the next event.
func TestCallerGoesAway(t *testing.T) {
	t.Parallel()
	r, w := io.Pipe()
	r.CloseWithError(errors.New("gone"))
	told := 0
	Write(&pipe{header: http.Header{}, w: w}, func(yield func(server.Event, *a2a.Error) bool) {
		for told++; yield(server.Event{}, nil); told++ {
		}
	}, encode)
	if told != 1 {
		t.Errorf("%d events for nobody", told)
	}
}
