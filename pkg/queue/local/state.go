package local

import (
	"cmp"
	"container/heap"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// message is one message. It is in exactly one place: hidden, among the ready, or dead.
type message struct {
	id       string
	poke     queue.Poke
	attempts int
	visible  time.Time // hidden until then

	place place
	seq   int // order of arrival
	index int // in the heap, while hidden
}

type place int

const (
	nowhere place = iota
	isHidden
	isReady
	isDead
)

// receipt names the message as of its latest receive.
func (m *message) receipt() string { return m.id + "." + strconv.Itoa(m.attempts) }

func (m *message) delivery() queue.Delivery {
	return queue.Delivery{Poke: m.poke, Receipt: m.receipt(), Attempt: m.attempts}
}

// state is the rules of the queue: what is visible, whose turn it is, what is a dead letter. Death
// is worked out, not recorded: a message is dead when it is visible and was received too often.
type state struct {
	maxReceive int
	messages   map[string]*message
	hidden     hidden
	ready      turns
	seq        int
}

func newState(maxReceive int) state {
	return state{maxReceive: maxReceive, messages: map[string]*message{}, ready: turns{waiting: map[string][]*message{}}}
}

func (s *state) add(m *message) {
	s.seq++
	m.seq = s.seq
	s.messages[m.id] = m
	s.hide(m, m.visible)
}

// take returns at most n visible messages and hides each until the time given.
func (s *state) take(now time.Time, n int, until time.Time) []*message {
	s.settle(now)
	var taken []*message
	for len(taken) < n {
		m := s.ready.next()
		if m == nil {
			break
		}
		taken = append(taken, m)
	}
	// Hidden only when all are taken, or a receive without visibility could take one twice.
	for _, m := range taken {
		m.attempts++
		m.place = nowhere
		s.hide(m, until)
	}
	return taken
}

// settle moves what is no longer hidden to the ready or the dead.
func (s *state) settle(now time.Time) {
	for len(s.hidden) > 0 && !s.hidden[0].visible.After(now) {
		m := heap.Pop(&s.hidden).(*message)
		if m.attempts >= s.maxReceive {
			m.place = isDead
		} else {
			m.place = isReady
			s.ready.add(m)
		}
	}
}

// next is when the next hidden message becomes visible; zero when none is hidden.
func (s *state) next() time.Time {
	if len(s.hidden) == 0 {
		return time.Time{}
	}
	return s.hidden[0].visible
}

// held finds the message that a receipt names, as long as the receipt is its latest and it is not
// a dead letter.
func (s *state) held(now time.Time, receipt string) (*message, bool) {
	s.settle(now)
	id, _, _ := strings.Cut(receipt, ".")
	m, ok := s.messages[id]
	if !ok || m.receipt() != receipt || m.place == isDead {
		return nil, false
	}
	return m, true
}

func (s *state) hide(m *message, until time.Time) {
	s.lift(m)
	m.visible = until
	m.place = isHidden
	heap.Push(&s.hidden, m)
}

func (s *state) remove(m *message) {
	s.lift(m)
	delete(s.messages, m.id)
}

// lift takes m from where it is.
func (s *state) lift(m *message) {
	switch m.place {
	case isHidden:
		heap.Remove(&s.hidden, m.index)
	case isReady:
		s.ready.remove(m)
	}
	m.place = nowhere
}

// dead returns the dead letters in order of arrival.
func (s *state) dead(now time.Time) []*message {
	s.settle(now)
	var dead []*message
	for _, m := range s.messages {
		if m.place == isDead {
			dead = append(dead, m)
		}
	}
	slices.SortFunc(dead, func(a, b *message) int { return cmp.Compare(a.seq, b.seq) })
	return dead
}
