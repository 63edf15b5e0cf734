package harness_test

import (
	"testing"
	"testing/synctest"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// An answer that meets its bound before it says anything counts as a failure of the model: three of
// them end the turn, as three of any other do.
func TestAnswerThatSaysNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "", answer{stop: model.StopLength})
		w.want(w.ask("Hi"), a2a.TaskStateFailed)
		if n := len(w.model.seen); n != 3 {
			t.Errorf("the model was called %d times, want 3", n)
		}
	})
}
