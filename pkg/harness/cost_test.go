package harness_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/harness"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/model/script"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// claimed is the revision of a task that a run has begun to work on: its create and its claim.
const claimed = 2

// What a turn writes: a step its plan, a call that may do something an intent and an outcome, one that
// only reads its outcome, and the end one more, with the last step in it. A pause goes along with the
// plan, if nothing is to be made beside it.
func TestWritesOfATurn(t *testing.T) {
	const allowed = "permissions: { allow: [hub/*] }"
	for _, tt := range []struct {
		name, front string
		steps       []answer
		want        uint64
	}{
		{"no tools", "", []answer{text("Done.")}, 1},
		{"a read", allowed, []answer{calls("hub__get {}"), text("Done.")}, 1 + 1 + 1},
		{"a write", allowed, []answer{calls("hub__make {}"), text("Done.")}, 1 + 2 + 1},
		{"two reads and a write at once", allowed, []answer{calls(`hub__get {"title":"a"}`, `hub__get {"title":"b"}`, "hub__make {}"), text("Done.")}, 1 + 2 + 2 + 1},
		{"two steps", allowed, []answer{calls("hub__get {}"), calls("hub__label {}"), text("Done.")}, 1 + 1 + 1 + 2 + 1},
		{"a held call", "", []answer{calls("hub__make {}"), text("Done.")}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, tt.front, tt.steps...)
			if got := w.record(w.ask("Go")).Revision - claimed; got != tt.want {
				t.Errorf("%s: %d writes, want %d", tt.name, got, tt.want)
			}
		})
	}
}

// instant is a tool server that answers at once.
type instant []tool.Tool

func (s instant) List(context.Context) ([]tool.Tool, error)  { return s, nil }
func (instant) Call(context.Context, tool.Call) tool.Outcome { return tool.Answered{Text: "got"} }

// BenchmarkStep is the harness's own part of a step: a model that answers at once and wants nothing but
// a read of a server that answers at once, on the memory store. One turn has as many steps as asked.
func BenchmarkStep(b *testing.B) {
	for _, steps := range []int{1, 20} {
		b.Run(fmt.Sprintf("%d steps", steps), func(b *testing.B) {
			scene := script.Scene{Steps: append(make([]script.Step, 0, steps), script.Step{Say: "Done."})}
			for n := range steps - 1 {
				call := script.Call{Tool: "hub__get", Arguments: map[string]any{"title": fmt.Sprint(n)}}
				scene.Steps = append([]script.Step{{Calls: []script.Call{call}}}, scene.Steps...)
			}
			d, err := definition.Parse([]byte("---\nname: a\ndescription: d\nmcpServers: { hub: { url: \"https://hub.example\", trusted: true } }\n---\n" + strings.Repeat("Be careful. ", 50)))
			if err != nil {
				b.Fatal(err)
			}
			server := instant{{Server: "hub", Name: "get", ReadOnly: true, Schema: []byte(schema)}}
			a, err := harness.New(harness.Options{
				Definition: d, Log: slog.New(slog.DiscardHandler),
				Models:  func(string) (model.Model, string, error) { return script.New(scene), "m", nil },
				Connect: func(string, definition.Server, access.Principal, time.Time) (tool.Server, error) { return server, nil },
			})
			if err != nil {
				b.Fatal(err)
			}
			store := memory.New(memory.Options{})
			w, err := turn.New(turn.Options{Store: store, Queue: local.New(local.Options{}), Agent: a, Log: slog.New(slog.DiscardHandler)})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				k := task.Key{Scope: task.Scope{Owner: "alice"}, ID: task.NewTaskID()}
				r, events := task.Accept(task.Acceptance{
					Key: k, ContextID: k.ID, Born: task.NewID(), Principal: alice,
					Message: a2a.Message{MessageID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("Go")}}},
				})
				if err := store.Create(context.Background(), r, events); err != nil {
					b.Fatal(err)
				}
				w.Handle(context.Background(), queue.Delivery{Poke: queue.Poke{Key: k}, Receipt: "r", Attempt: 1})
				if r, _, err = store.Read(context.Background(), k, task.Latest); err != nil || r.Status.State != completed {
					b.Fatalf("%v %v", r.Status, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*steps), "µs/step")
		})
	}
}
