// Package queue is the port of the queue that pokes travel through.
//
// A poke is no more than a hint that a task may need a worker: the record says whether it does.
// Losing, repeating, delaying or reordering pokes changes no result. pkg/server and pkg/turn send
// them; a pump (locally) or the platform (SQS) receives, hands each to the worker, and deletes
// what the worker reports done; the rest comes back when its visibility ends. A message received
// too often goes to the dead letters, where people look; recovery finds its task all the same.
package queue

import (
	"context"
	"errors"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Poke says that a task may need a worker. Hint is the state it was left in.
type Poke struct {
	Key  task.Key      `json:"key"`
	Hint a2a.TaskState `json:"hint,omitempty"`
}

// Group is whose turn it is when many wait: no tenant, and without tenants no owner, keeps the
// others waiting.
func (p Poke) Group() string {
	if p.Key.Tenant != "" {
		return p.Key.Tenant
	}
	return p.Key.Owner
}

// Delivery is a poke as received. Attempt counts from 1.
type Delivery struct {
	Poke    Poke
	Receipt string
	Attempt int
}

// Sender sends pokes. delay is at most 15 minutes, to whole seconds.
type Sender interface {
	Send(ctx context.Context, p Poke, delay time.Duration) error
}

// Extender sets how long from now a received message stays invisible.
type Extender interface {
	// Extend returns [ErrGone] when the receipt is no longer the message's latest.
	Extend(ctx context.Context, receipt string, visible time.Duration) error
}

// Queue is a whole queue. Every method is safe for concurrent use. The suite in queuetest says
// the rest.
type Queue interface {
	Sender
	Extender

	// Receive waits for messages until ctx ends and returns at least one, at most max, each
	// invisible to others for the time given. Fair: among what is visible, groups take turns.
	Receive(ctx context.Context, max int, visible time.Duration) ([]Delivery, error)

	// Delete removes a message. Deleting what is gone is no error.
	Delete(ctx context.Context, receipt string) error
}

// ErrGone says that a receipt names no message that its holder still has.
var ErrGone = errors.New("queue: the receipt is no longer valid")
