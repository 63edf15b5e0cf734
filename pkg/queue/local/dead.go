package local

import (
	"context"
	"crypto/rand"
	"fmt"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// DeadLetter is a message that was received too often.
type DeadLetter struct {
	ID       string
	Poke     queue.Poke
	Attempts int
}

// DeadLetters lists the dead letters, oldest first, for people to look into. They stay until they
// are sent again.
func (q *Queue) DeadLetters() []DeadLetter {
	q.mu.Lock()
	defer q.mu.Unlock()
	var letters []DeadLetter
	for _, m := range q.state.dead(q.now()) {
		letters = append(letters, DeadLetter{ID: m.id, Poke: m.poke, Attempts: m.attempts})
	}
	return letters
}

// Redrive sends a dead letter again, as a new message with no attempts. An id that names no dead
// letter is an error.
func (q *Queue) Redrive(ctx context.Context, id string) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.settle(q.now())
	old, ok := q.state.messages[id]
	if !ok || old.place != isDead {
		return fmt.Errorf("queue: no dead letter %q", id)
	}
	// In this order a crash in between repeats the message and does not lose it.
	if err := q.add(ctx, &message{id: rand.Text(), poke: old.poke, visible: q.now()}); err != nil {
		return err
	}
	if err := q.changes.remove(ctx, old.id); err != nil {
		return err
	}
	q.state.remove(old)
	return nil
}
