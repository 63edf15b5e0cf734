package turn

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// heard is a store that keeps what is said.
type heard struct {
	*faulty
	said []string
	fail int // the piece that fails; 0: none
}

func (s *heard) Say(ctx context.Context, k task.Key, t task.Text) error {
	if s.fail == len(s.said)+1 {
		return errBroken
	}
	s.said = append(s.said, fmt.Sprintf("%d.%d %s", t.Attempt, t.Piece, t.Text))
	return s.faulty.Say(ctx, k, t)
}

// follow has a caller stream the task.
func (b *bench) follow(d queue.Delivery) {
	b.Helper()
	r, _ := b.read(d)
	r.Run.Streams = true
	c := task.StartPushes(r, task.Write{ID: "w", At: time.Now()})
	c.Next.Run.Streams = true
	if _, err := b.store.Commit(b.Context(), d.Poke.Key, c); err != nil {
		b.Fatal(err)
	}
}

// Text is gathered into pieces, each attempt's anew; what is left when the writing ends is in what
// follows. After a piece that can't be written comes none: a gap would be taken for what was said.
func TestWrite(t *testing.T) {
	for _, tt := range []struct {
		name    string
		streams bool
		fail    int
		want    []string
	}{
		{"followed", true, 0, []string{"1.1 a b ", "1.2 c ", "2.1 d "}},
		{"not followed", false, 0, nil},
		{"fails", true, 2, []string{"1.1 a b "}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := newBench(t, fake{start: func(_ context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
					say, done := r.Write("answer")
					say("a ")
					time.Sleep(gather / 2)
					say("b ")
					time.Sleep(gather)
					say("c ")
					time.Sleep(10 * gather)
					say("lost ")
					done()
					done()
					say("late ")
					say, done = r.Write("answer")
					say("d ")
					time.Sleep(2 * gather)
					done()
					return agent.Completed{}, nil
				}})
				store := &heard{faulty: b.store, fail: tt.fail}
				b.worker.Store = store
				d := b.accept("x")
				if tt.streams {
					b.follow(d)
				}
				b.handle(d, true)
				b.want(d, a2a.TaskStateCompleted)
				if fmt.Sprint(store.said) != fmt.Sprint(tt.want) {
					t.Errorf("said %q, want %q", store.said, tt.want)
				}
			})
		})
	}
}

// Text that takes long to write holds the agent up no longer than that, and fails nothing.
func TestWriteSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fake{start: func(_ context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
			say, done := r.Write("answer")
			say("a ")
			time.Sleep(2 * gather)
			began := time.Now()
			done()
			if waited := time.Since(began); waited > sayTime {
				t.Errorf("waited %v for text", waited)
			}
			return agent.Completed{}, nil
		}})
		b.worker.Store = slow{b.store}
		d := b.accept("x")
		b.follow(d)
		b.handle(d, true)
		b.want(d, a2a.TaskStateCompleted)
	})
}

type slow struct{ *faulty }

func (slow) Say(ctx context.Context, _ task.Key, _ task.Text) error {
	<-ctx.Done()
	return errors.New("too slow")
}
