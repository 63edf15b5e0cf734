package turn

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// gather is how long text is gathered before it is written as a piece, and sayTime how long that
// write may take.
const (
	gather  = 100 * time.Millisecond
	sayTime = 2 * time.Second
)

// Write implements [agent.Run]. Where nobody follows the task, nothing is written.
func (r *run) Write(artifactID string) (say func(string), done func()) {
	if !r.current().Run.Streams {
		return func(string) {}, func() {}
	}
	r.mu.Lock()
	r.attempts++
	w := &writing{
		run: r, piece: task.Text{Artifact: artifactID, Events: r.record.Events, TextMark: task.TextMark{Fence: r.guard.Fence, Attempt: r.attempts}},
		some: make(chan struct{}, 1), end: make(chan struct{}), ended: make(chan struct{}),
	}
	r.mu.Unlock()
	go w.write()
	return w.say, sync.OnceFunc(func() { close(w.end); <-w.ended })
}

// writing writes one attempt's text, piece by piece. A piece that can't be written is dropped with
// all behind it: a gap would be taken for what was said.
type writing struct {
	run   *run
	piece task.Text     // the last one
	some  chan struct{} // there is text to write
	end   chan struct{}
	ended chan struct{}

	mu   sync.Mutex
	text strings.Builder
}

func (w *writing) say(text string) {
	w.mu.Lock()
	w.text.WriteString(text)
	w.mu.Unlock()
	select {
	case w.some <- struct{}{}:
	default:
	}
}

func (w *writing) write() {
	defer close(w.ended)
	for {
		select {
		case <-w.end:
			return
		case <-w.some:
		}
		t := time.NewTimer(gather)
		select {
		case <-w.end: // the event that follows at once has it all
			t.Stop()
			return
		case <-t.C:
		}
		if w.next() != nil {
			return
		}
	}
}

// next writes what was gathered as the next piece.
func (w *writing) next() error {
	w.mu.Lock()
	w.piece.Text = w.text.String()
	w.text.Reset()
	w.mu.Unlock()
	if w.piece.Text == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), sayTime)
	defer cancel()
	w.piece.Piece++
	return w.run.store.Say(ctx, w.run.key, w.piece)
}
