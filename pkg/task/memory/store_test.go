package memory_test

import (
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/storetest"
)

func TestStore(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(testing.TB) storetest.Harness {
		return storetest.Harness{Store: memory.New(memory.Options{})}
	})
}
