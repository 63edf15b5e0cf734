package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/storetest"
)

func BenchmarkStore(b *testing.B) {
	storetest.Benchmark(b, func(tb testing.TB) task.Store {
		return open(tb, filepath.Join(tb.TempDir(), "tasks.db"))
	})
}
