package crash

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/turn"
)

// kind says what a cut does.
type kind int

const (
	crash kind = iota // the process ends at the call
	lose              // the call's answer is lost; before: the call fails
	stall             // the process stands still for a while, then goes on
	kinds
)

func (k kind) String() string { return [...]string{"crash", "lose", "stall"}[k] }

// pace is how long things take in a world.
type pace struct {
	lease   time.Duration
	stall   time.Duration // well past every lease and visibility
	recover time.Duration // from one recovery to the next
	rest    time.Duration // at the end, once all zombies are awake
	nap     time.Duration // what a script calls NAP: past some renewals
}

// virtual is the pace where waiting costs nothing.
var virtual = pace{lease: turn.DefaultLease, stall: 100 * time.Second, recover: time.Minute, rest: 10 * time.Minute, nap: 20 * time.Second}

// cut is one fault, at the call of a number.
type cut struct {
	at    int
	after bool
	kind  kind
}

func (c cut) String() string {
	when := "before"
	if c.after {
		when = "after"
	}
	return fmt.Sprintf("%s %s call %d", c.kind, when, c.at)
}

var (
	errDead  = errors.New("crash: the process is dead")
	errFault = errors.New("crash: no answer")
)

// calls numbers the calls of all processes and finds the cut for each.
type calls struct {
	at   int    // the call just before which act takes place; 0: none
	act  func() // what a caller does while that call's process waits
	mu   sync.Mutex
	n    int
	cuts map[int]cut
	ops  []string
	hit  []string  // cuts that took place, with the call they met
	last time.Time // when the last process that stands still goes on
}

func (c *calls) next(op string) (n int, met cut, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	c.ops = append(c.ops, op)
	if met, ok = c.cuts[c.n]; ok {
		c.hit = append(c.hit, met.String()+" ("+op+")")
	}
	return c.n, met, ok
}

// busy is the number of the last call that was not recovery's looking around when all was over.
func (c *calls) busy() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.ops)
	for n > 0 && c.ops[n-1] == "due" {
		n--
	}
	return n
}

// stands takes up that a process stands still for a while.
func (c *calls) stands(until time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = until
}

// awake is when no process stands still any more.
func (c *calls) awake() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

func (c *calls) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// process is one replica: every call it makes to the world outside goes through do.
type process struct {
	calls *calls
	stall time.Duration
	ctx   context.Context // ends with the process
	end   context.CancelFunc

	mu      sync.Mutex
	dead    bool
	stalled time.Time // the process stands still until then
}

func (w *world) newProcess() *process {
	p := &process{calls: w.calls, stall: w.pace.stall}
	p.ctx, p.end = context.WithCancel(w.ctx)
	return p
}

// do makes one call. effect is what it does to the world.
func (p *process) do(op string, effect func() error) error {
	p.stand()
	n, c, ok := p.calls.next(op)
	if n == p.calls.at {
		p.calls.act()
	}
	if ok && !c.after {
		if err := p.meet(c); err != nil {
			return err
		}
	}
	if p.isDead() {
		return errDead
	}
	err := effect()
	if ok && c.after {
		if fault := p.meet(c); fault != nil {
			return fault
		}
	}
	if p.isDead() {
		return errDead
	}
	return err
}

// meet lets a cut take place.
func (p *process) meet(c cut) error {
	switch c.kind {
	case crash:
		p.die()
		return errDead
	case lose:
		return errFault
	}
	p.mu.Lock()
	p.stalled = time.Now().Add(p.stall)
	p.calls.stands(p.stalled)
	p.mu.Unlock()
	p.stand()
	return nil
}

// stand stands still for as long as the process does.
func (p *process) stand() {
	p.mu.Lock()
	until := p.stalled
	p.mu.Unlock()
	time.Sleep(time.Until(until))
}

func (p *process) die() {
	p.mu.Lock()
	p.dead = true
	p.mu.Unlock()
	p.end()
}

func (p *process) isDead() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}
