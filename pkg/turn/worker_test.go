package turn

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func TestNewChecksOptions(t *testing.T) {
	t.Parallel()
	b := newBench(t, &agenttest.Agent{})
	if b.worker.Lease != 30*time.Second { // SRV-12
		t.Errorf("default lease: got %v", b.worker.Lease)
	}
	if b.worker.Visible() != 40*time.Second {
		t.Errorf("visibility: got %v", b.worker.Visible())
	}
	if _, err := New(Options{}); err == nil {
		t.Error("a worker without ports: got no error")
	}
	o := b.worker.Options
	o.Lease = 5 * time.Second
	if _, err := New(o); err == nil {
		t.Error("a lease below 6 s: got no error")
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	held := task.Effect{ID: "eff_1", Class: task.ClassWrite, State: task.EffectHeld, Server: "s", Tool: "t"}
	ask := interaction.NewApproval("eff_1", "s", "t", "")
	tests := []struct {
		name  string
		out   agent.Outcome
		state a2a.TaskState
		text  string
		poked bool
	}{
		{"completed", agent.Completed{Message: new(agent.Text("done"))}, a2a.TaskStateCompleted, "done", false},
		{"failed", agent.Failed{Message: agent.Text("no")}, a2a.TaskStateFailed, "no", false},
		{"rejected", agent.Rejected{Message: agent.Text("not mine")}, a2a.TaskStateRejected, "not mine", false},
		{"message", agent.Message{Message: agent.Text("hello")}, a2a.TaskStateCompleted, "hello", false},
		{"question", agent.Paused{Asks: []interaction.Interaction{interaction.NewQuestion("eff_q", "which?")}}, a2a.TaskStateInputRequired, "which?", false},
		{"approval", agent.Paused{Asks: []interaction.Interaction{ask}, Step: task.Step{Plan: []task.Effect{held}}}, a2a.TaskStateAuthRequired, "Approve s / t?", false},
		{"connection", agent.Paused{Asks: []interaction.Interaction{interaction.NewConnection("eff_c", "github", "to push")}}, a2a.TaskStateAuthRequired, "Connect github: to push", false},
		{"more", agent.More{}, a2a.TaskStateWorking, "", true},
		// What an agent may not do fails the task, and says why.
		{"nothing", nil, a2a.TaskStateFailed, "The agent failed: the agent returned nothing.", false},
		{"a pause for nothing", agent.Paused{}, a2a.TaskStateFailed, "The agent failed: the agent paused without asking anything.", false},
		{"a call not held", agent.Paused{Asks: []interaction.Interaction{ask}}, a2a.TaskStateFailed, "The agent failed: the agent asked to approve a call that is not held.", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, outcome(tt.out, nil))
			d := b.accept("x")
			b.handle(d, true)
			b.want(d, tt.state)
			r, _ := b.read(d)
			if r.Lease != nil {
				t.Errorf("the lease was kept: %v", r.Lease)
			}
			if got := text(r.Status.Message); got != tt.text {
				t.Errorf("message: got %q, want %q", got, tt.text)
			}
			if got := len(b.queue.sent) > 0; got != tt.poked {
				t.Errorf("poked: got %v, want %v", got, tt.poked)
			}
		})
	}
}

func text(m *a2a.Message) string {
	if m == nil {
		return ""
	}
	s, _ := m.Parts[0].Content.(a2a.Text)
	return string(s)
}

// an agent's event or status beyond the limits fails the task with a reason.
func TestOversizedEventFailsTheTask(t *testing.T) {
	t.Parallel()
	big := strings.Repeat("x", task.MaxPiece)
	a := fake{start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
		return nil, r.Step(ctx, task.Step{Events: []task.Event{agent.Artifact(a2a.Artifact{ArtifactID: "a", Parts: []a2a.Part{{Content: a2a.Text(big)}}})}})
	}}
	b := newBench(t, a)
	d := b.accept("x")
	b.handle(d, true)
	b.want(d, a2a.TaskStateFailed)
	if r, _ := b.read(d); !strings.Contains(text(r.Status.Message), "the limit is 1048576") {
		t.Errorf("got %q", text(r.Status.Message))
	}
}

// An agent's error or panic is a failed attempt: the message comes back when the lease is over,
// and after five claims without progress the task fails (protocol rule 6).
func TestAttemptsAndPoison(t *testing.T) {
	for name, a := range map[string]fake{
		"error": outcome(nil, errBroken),
		"panic": {start: func(context.Context, agent.Run, agent.Input) (agent.Outcome, error) { panic("boom") }},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBench(t, a)
			d := b.accept("x")
			for range task.MaxAttempts {
				b.handle(d, false)
				b.want(d, a2a.TaskStateWorking)
				if got, want := b.queue.last(), 32*time.Second; got != want {
					t.Errorf("%s: visibility: got %v, want the lease and its margin, %v", name, got, want)
				}
				time.Sleep(33 * time.Second)
			}
			b.handle(d, true)
			b.want(d, a2a.TaskStateFailed)
			if r, _ := b.read(d); text(r.Status.Message) != "The agent failed repeatedly on this task." {
				t.Errorf("%s: message: got %q", name, text(r.Status.Message))
			}
		})
	}
}

// LEASE-02, R-33: renewed every third, with the message's visibility behind it.
func TestHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *bench
		a := fake{start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
			time.Sleep(95 * time.Second)
			return agent.Completed{}, nil
		}}
		b = newBench(t, a)
		renewed := 0
		b.store.renew = func() error { renewed++; return nil }
		b.handle(b.accept("x"), true)
		if renewed != 9 {
			t.Errorf("renewals in 95 s: got %d, want 9", renewed)
		}
		if len(b.queue.visible) != 10 || slices.Max(b.queue.visible) != 40*time.Second || slices.Min(b.queue.visible) != 40*time.Second {
			t.Errorf("visibility: got %v, want 40 s ten times", b.queue.visible)
		}
	})
}

// A renewal that fails for no reason of its own is tried again; the run goes on (protocol: renew).
func TestRenewalIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := fake{start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
			time.Sleep(60 * time.Second)
			return agent.Completed{}, ctx.Err()
		}}
		b := newBench(t, a)
		n := 0
		b.store.renew = func() error {
			if n++; n%3 != 0 {
				return errBroken
			}
			return nil
		}
		d := b.accept("x")
		b.handle(d, true)
		b.want(d, a2a.TaskStateCompleted)
	})
}

// Protocol rule 3: a run that lost its task stops silently, and its message is not done.
func TestLostRunStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b *bench
		a := fake{start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
			<-ctx.Done()
			if context.Cause(ctx) != ErrLost {
				t.Errorf("cause: got %v, want ErrLost", context.Cause(ctx))
			}
			if err := r.Step(ctx, task.Step{Rows: []task.Row{{Name: "late"}}}); err != ErrLost {
				t.Errorf("a step of a lost run: got %v, want ErrLost", err)
			}
			return agent.Completed{}, nil
		}}
		b = newBench(t, a)
		d := b.accept("x")
		go func() { time.Sleep(3 * time.Second); b.cancel(d) }()
		b.handle(d, false)
		b.want(d, a2a.TaskStateCanceled)
		if _, events := b.read(d); events[len(events)-1].Status.State != a2a.TaskStateCanceled {
			t.Errorf("something followed the cancel: %+v", events)
		}
		b.handle(d, true) // and the message's next coming is done
	})
}

// a live lease is not taken, not even by its own replica; the message waits until it ends.
func TestLiveLeaseIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, fake{start: func(context.Context, agent.Run, agent.Input) (agent.Outcome, error) {
			t.Error("the agent was called under another's lease")
			return nil, errBroken
		}})
		d := b.accept("x")
		lease := task.Lease{ID: "other", Replica: "r1", Until: time.Now().Add(30 * time.Second)}
		if _, err := b.store.Claim(t.Context(), d.Poke.Key, task.Claiming{Lease: lease, Now: time.Now()}, ""); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Second)
		b.handle(d, false)
		if got := b.queue.last(); got != 22*time.Second {
			t.Errorf("visibility: got %v, want 22 s: the lease's rest and the margin", got)
		}
	})
}

// Protocol: claim, "no item: again in 1 s, a few times": the poke may overtake the create.
func TestMissingTask(t *testing.T) {
	t.Parallel()
	b := newBench(t, outcome(agent.Completed{}, nil))
	d := b.accept("x")
	d.Poke.Key.ID = "t1.none"
	b.handle(d, false)
	if b.queue.last() != time.Second {
		t.Errorf("visibility: got %v, want 1 s", b.queue.last())
	}
	d.Attempt = maxMissing + 1
	b.handle(d, true)
}

// A poke that overtakes its create by a moment costs no more than that.
func TestOvertakenCreate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil))
		r, events := task.Accept(task.Acceptance{
			Key: task.Key{ID: "t1.late"}, ContextID: "ctx", Born: "b", At: time.Now(),
			Message: a2a.Message{MessageID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("x")}}},
		})
		go func() {
			time.Sleep(3 * time.Millisecond)
			if err := b.store.Create(context.Background(), r, events); err != nil {
				t.Error(err)
			}
		}()
		d := queue.Delivery{Poke: queue.Poke{Key: r.Key}, Attempt: 1}
		began := time.Now()
		b.handle(d, true)
		b.want(d, a2a.TaskStateCompleted)
		if took := time.Since(began); took > 10*time.Millisecond {
			t.Errorf("took %v, want a few milliseconds", took)
		}
	})
}

// A claim whose answer was lost is recognised by its lease id.
func TestClaimsLostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, outcome(agent.Completed{}, nil))
		lost := false
		b.store.claim = func() error {
			if lost {
				return nil
			}
			lost = true
			return errBroken
		}
		d := b.accept("x")
		b.handle(d, true)
		b.want(d, a2a.TaskStateCompleted)
		if r, _ := b.read(d); r.Attempts != 1 {
			t.Errorf("claims: got %d, want 1", r.Attempts)
		}
	})
}

// A slice whose time is up goes on in another one; its poke must have been sent.
func TestYield(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &agenttest.Agent{})
		d := b.accept("sleep 6m; say done")
		b.queue.fail = errBroken
		began := time.Now()
		b.handle(d, false)
		if took := time.Since(began); took != DefaultSlice {
			t.Errorf("the slice took %v, want %v", took, DefaultSlice)
		}
		r, _ := b.read(d)
		if r.Hops != 1 || r.Lease != nil || r.Attempts != 0 {
			t.Errorf("got hops %d, lease %v, attempts %d; want 1, none, 0", r.Hops, r.Lease, r.Attempts)
		}
		b.queue.fail = nil
		b.handle(d, true)
		b.want(d, a2a.TaskStateCompleted)
	})
}

// A slice ends before its invocation does.
func TestYieldBeforeTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, &agenttest.Agent{})
		d := b.accept("sleep 6m")
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		began := time.Now()
		if !b.worker.Handle(ctx, d) {
			t.Error("not done")
		}
		if took := time.Since(began); took != 50*time.Second {
			t.Errorf("the slice took %v, want 50s", took)
		}
	})
}

// A turn has a budget of slices, which an answer resets.
func TestHopsBudget(t *testing.T) {
	t.Parallel()
	b := newBench(t, outcome(agent.More{}, nil))
	d := b.accept("x")
	for range task.MaxHops + 1 {
		b.handle(d, true)
		b.want(d, a2a.TaskStateWorking)
	}
	b.handle(d, true)
	b.want(d, a2a.TaskStateFailed)
}
