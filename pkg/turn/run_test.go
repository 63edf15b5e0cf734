package turn

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// approved is an agent that plans one approved call and hands it to do.
func approved(class task.EffectClass, do func(ctx context.Context, r agent.Run) (agent.Outcome, error)) fake {
	return fake{
		start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
			plan := []task.Effect{{ID: r.EffectID(0, 0), Class: class, State: task.EffectApproved, Server: "s", Tool: "t"}}
			if err := r.Step(ctx, task.Step{Plan: plan, Rows: []task.Row{{Name: "plan"}}}); err != nil {
				return nil, err
			}
			return do(ctx, r)
		},
		resume: func(ctx context.Context, r agent.Run, _ agent.Input, _ map[string]interaction.Answer) (agent.Outcome, error) {
			return do(ctx, r)
		},
	}
}

// Protocol rule 4, counterexample 2: a call's context ends 2 s before the lease unless that is
// renewed, so a call longer than a lease goes through while the heartbeat works, and is cut when
// it does not.
func TestCallEndsBeforeTheLease(t *testing.T) {
	for name, broken := range map[string]bool{"renewed": false, "not renewed": true} {
		synctest.Test(t, func(t *testing.T) {
			var lasted time.Duration
			a := approved(task.ClassWrite, func(ctx context.Context, r agent.Run) (agent.Outcome, error) {
				call, done, err := r.Intent(ctx, r.EffectID(0, 0))
				if err != nil {
					return nil, err
				}
				defer done()
				began := time.Now()
				select {
				case <-call.Done():
				case <-time.After(2 * time.Minute):
				}
				lasted = time.Since(began)
				return nil, errBroken
			})
			b := newBench(t, a)
			if broken {
				b.store.renew = func() error { return errBroken }
			}
			b.handle(b.accept("x"), false)
			want := 2 * time.Minute
			if broken {
				want = 28 * time.Second
			}
			if lasted != want {
				t.Errorf("%s: the call lasted %v, want %v", name, lasted, want)
			}
		})
	}
}

// Protocol rule 4: a call does not start on a lease about to end, as after a stall.
func TestCallDoesNotStartLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := approved(task.ClassWrite, func(ctx context.Context, r agent.Run) (agent.Outcome, error) {
			_, _, err := r.Intent(ctx, r.EffectID(0, 0))
			if !errors.Is(err, ErrLost) {
				t.Errorf("got %v, want ErrLost", err)
			}
			return nil, err
		})
		b := newBench(t, a)
		b.store.renew = func() error { return errBroken }
		n := 0
		b.store.commit = func() error {
			if n++; n == 2 {
				time.Sleep(29 * time.Second) // between the intent's write and the call
			}
			return nil
		}
		b.handle(b.accept("x"), false)
	})
}

// R-32, protocol rule 5: a write whose outcome nobody knows is asked about, under a new id; read
// and idempotent calls are sent again.
func TestTakeover(t *testing.T) {
	for _, class := range []task.EffectClass{task.ClassRead, task.ClassIdempotent, task.ClassWrite} {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			a := approved(class, func(ctx context.Context, r agent.Run) (agent.Outcome, error) {
				id := r.EffectID(0, 0)
				if e, ok := r.Effect(id); !ok || e.State == task.EffectDenied {
					return agent.Completed{Message: new(agent.Text("denied")), Step: task.Step{Settle: []string{id}}}, nil
				}
				_, done, err := r.Intent(ctx, id)
				if err != nil {
					return nil, err
				}
				defer done()
				if calls++; calls == 1 {
					return nil, errBroken // between intent and outcome
				}
				return agent.Completed{Step: task.Step{Settle: []string{id}}}, nil
			})
			b := newBench(t, a)
			d := b.accept("x")
			b.handle(d, false)
			time.Sleep(33 * time.Second)
			b.handle(d, true)
			if class != task.ClassWrite {
				b.want(d, a2a.TaskStateCompleted)
				if calls != 2 {
					t.Errorf("%s: got %d calls, want 2", class, calls)
				}
				return
			}
			b.want(d, a2a.TaskStateAuthRequired)
			r, _ := b.read(d)
			if got, want := r.Pending[0].ID, task.EffectID(r, 0, 0)+".2"; got != want {
				t.Errorf("interaction: got %s, want %s", got, want)
			}
			b.answer(d, `"approved":true`)
			b.handle(d, true)
			b.want(d, a2a.TaskStateCompleted)
			if calls != 2 {
				t.Errorf("write, approved again: got %d calls, want 2", calls)
			}
		})
	}
}

// Counterexample 6: the answer to the intent's write is lost. The run recognises its own write and
// makes the call, once.
func TestIntentsLostAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := 0
		a := approved(task.ClassWrite, func(ctx context.Context, r agent.Run) (agent.Outcome, error) {
			_, done, err := r.Intent(ctx, r.EffectID(0, 0))
			if err != nil {
				return nil, err
			}
			defer done()
			calls++
			return agent.Completed{Step: task.Step{Settle: []string{r.EffectID(0, 0)}}}, nil
		})
		b := newBench(t, a)
		n := 0
		b.store.commit = func() error {
			if n++; n == 2 {
				return errBroken
			}
			return nil
		}
		d := b.accept("x")
		b.handle(d, true)
		b.want(d, a2a.TaskStateCompleted)
		if calls != 1 {
			t.Errorf("got %d calls, want 1", calls)
		}
	})
}

// An effect is sent once a run: a second intent is the agent's fault.
func TestIntentTwice(t *testing.T) {
	t.Parallel()
	a := approved(task.ClassWrite, func(ctx context.Context, r agent.Run) (agent.Outcome, error) {
		_, done, err := r.Intent(ctx, r.EffectID(0, 0))
		if err != nil {
			return nil, err
		}
		done()
		_, _, err = r.Intent(ctx, r.EffectID(0, 0))
		return nil, err
	})
	b := newBench(t, a)
	d := b.accept("x")
	b.handle(d, true)
	b.want(d, a2a.TaskStateFailed)
}

// Counterexample 6, the other half: a foreign write moves the revision under a run, which repeats
// the same transition.
func TestForeignWriteInBetween(t *testing.T) {
	t.Parallel()
	var b *bench
	var k task.Key
	a := fake{start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
		k = r.Task().Key
		rec, _, _ := b.store.Read(ctx, k, 0)
		if _, err := b.store.Commit(ctx, k, task.StartPushes(rec, task.Write{ID: "foreign", At: time.Now()})); err != nil {
			t.Error(err)
		}
		if err := r.Step(ctx, task.Step{Rows: []task.Row{{Name: "row"}}}); err != nil {
			t.Errorf("a step after a foreign write: %v", err)
		}
		return agent.Completed{}, nil
	}}
	b = newBench(t, a)
	d := b.accept("x")
	b.handle(d, true)
	b.want(d, a2a.TaskStateCompleted)
	if r, _ := b.read(d); r.Pushed == nil {
		t.Error("the foreign write was lost")
	}
}

// LEASE-04: a run goes on from its last checkpoint, or with the answers that never reached it, or
// from the start.
func TestHowARunGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var calls []string
		journaled := false
		a := fake{
			start: func(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
				calls = append(calls, "start")
				if len(calls) == 2 {
					journaled = true
					if err := r.Step(ctx, task.Step{Rows: []task.Row{{Name: "checkpoint"}}}); err != nil {
						return nil, err
					}
				}
				return nil, errBroken
			},
			resume: func(ctx context.Context, r agent.Run, _ agent.Input, answers map[string]interaction.Answer) (agent.Outcome, error) {
				calls = append(calls, "resume")
				if len(answers) == 0 {
					return agent.Paused{Asks: []interaction.Interaction{interaction.NewQuestion(r.EffectID(1, 0), "which?")}}, nil
				}
				if len(calls) == 4 {
					return nil, errBroken // the answer never reaches it
				}
				return agent.Completed{Message: new(agent.Text(string(answers[r.EffectID(1, 0)].Value)))}, nil
			},
		}
		b := newBench(t, a)
		d := b.accept("x")
		next := func(done bool) { b.handle(d, done); time.Sleep(33 * time.Second) }
		next(false)
		next(false)
		next(true)
		b.answer(d, `"value":{"n":12345678901234567890}`)
		next(false)
		next(true)
		b.want(d, a2a.TaskStateCompleted)
		if r, _ := b.read(d); text(r.Status.Message) != `{"n":12345678901234567890}` { // INT-15
			t.Errorf("answer: got %s", text(r.Status.Message))
		}
		if want := "start start resume resume resume"; !journaled || join(calls) != want {
			t.Errorf("got %s, want %s", join(calls), want)
		}
	})
}

func join(s []string) (out string) {
	for i, x := range s {
		if i > 0 {
			out += " "
		}
		out += x
	}
	return out
}

// SRV-29: a task reads its context's conversation as it was when it started, whatever
// completes meanwhile, and a later one reads what completed, in that order.
func TestConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen := map[string]int{}
		a := fake{}
		a.start = func(ctx context.Context, r agent.Run, in agent.Input) (agent.Outcome, error) {
			name := text(&in.Message)
			seen[name] = len(in.Messages)
			if name == "slow" {
				return agent.Paused{Asks: []interaction.Interaction{interaction.NewQuestion(r.EffectID(0, 0), "?")}}, nil
			}
			return agent.Completed{Message: new(agent.Text("re: " + name))}, nil
		}
		a.resume = func(ctx context.Context, r agent.Run, in agent.Input, _ map[string]interaction.Answer) (agent.Outcome, error) {
			seen["slow again"] = len(in.Messages)
			return agent.Completed{Message: new(agent.Text("re: slow"))}, nil
		}
		b := newBench(t, a)
		slow, quick, third := b.accept("slow"), b.accept("quick"), b.accept("third")
		b.handle(slow, true)
		b.handle(quick, true)
		b.answer(slow, `"value":1`)
		b.handle(slow, true)
		b.handle(third, true)
		want := map[string]int{"slow": 1, "quick": 1, "slow again": 1, "third": 6}
		for name, n := range want {
			if seen[name] != n {
				t.Errorf("%s saw %d messages, want %d", name, seen[name], n)
			}
		}
		c, err := b.store.Conversation(t.Context(), slow.Poke.Key.Scope, "ctx", task.Latest)
		if err != nil || c.Version != 3 {
			t.Fatalf("got version %d, %v; want 3", c.Version, err)
		}
		var said []string
		for _, m := range c.Messages {
			said = append(said, text(&m))
		}
		if got, want := join(said), "quick re: quick slow x re: slow third re: third"; got != want {
			t.Errorf("transcript: got %q, want %q", got, want)
		}
	})
}

// SRV-03: the input hook is given the message and the conversation before it; its error fails the
// task without its text.
func TestInputHook(t *testing.T) {
	t.Parallel()
	var got any
	a := fake{start: func(_ context.Context, _ agent.Run, in agent.Input) (agent.Outcome, error) {
		got = in.Value
		return agent.Completed{}, nil
	}}
	hook := func(m a2a.Message, history []a2a.Message) (any, error) {
		if text(&m) == "bad" {
			return nil, errBroken
		}
		return len(history), nil
	}
	b := newBench(t, a, func(o *Options) { o.Input = hook })
	b.handle(b.accept("one"), true)
	b.handle(b.accept("two"), true)
	if got != 1 { // the first task's message; it completed without a word
		t.Errorf("value: got %v, want 1", got)
	}
	d := b.accept("bad")
	b.handle(d, true)
	b.want(d, a2a.TaskStateFailed)
	if r, _ := b.read(d); text(r.Status.Message) != "The agent could not read the message." {
		t.Errorf("message: got %q", text(r.Status.Message))
	}
}

// an artifact in pieces, each durable, the last one marked; parts are put together.
func TestPieces(t *testing.T) {
	t.Parallel()
	b := newBench(t, &agenttest.Agent{})
	d := b.accept("piece one two three")
	b.handle(d, true)
	r, events := b.read(d)
	var last []bool
	for _, e := range events {
		if e.Artifact != nil {
			last = append(last, e.Artifact.LastChunk)
		}
	}
	if len(last) != 3 || last[0] || last[1] || !last[2] {
		t.Errorf("last chunks: got %v, want false false true", last)
	}
	if s := task.Snapshot(r, events); len(s.Artifacts) != 1 || len(s.Artifacts[0].Parts) != 3 {
		t.Errorf("artifacts: got %+v", s.Artifacts)
	}
}
