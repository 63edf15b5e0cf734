package storetest

import (
	"fmt"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Benchmark measures the three writes of a task's life, one after the other.
func Benchmark(b *testing.B, open func(testing.TB) task.Store) {
	b.Run("create", func(b *testing.B) {
		s := open(b)
		b.ReportAllocs()
		for n := 0; b.Loop(); n++ {
			begin(b, s, fmt.Sprint(n))
		}
	})
	b.Run("claim", func(b *testing.B) {
		l := begin(b, open(b), "t1")
		b.ReportAllocs()
		for b.Loop() {
			l.takeover()
		}
	})
	b.Run("commit", func(b *testing.B) {
		l := begin(b, open(b), "t1").claim()
		step := task.Step{
			Rows:   []task.Row{{Name: "state", Value: make([]byte, 256)}},
			Events: []task.Event{said("A sentence that the agent says.")},
		}
		b.ReportAllocs()
		for b.Loop() {
			l.step(step)
		}
	})
}
