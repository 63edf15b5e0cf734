package memory_test

import (
	"math"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/storetest"
)

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(testing.TB) task.Store {
		return memory.New(memory.Options{MaxTasks: math.MaxInt})
	})
}
