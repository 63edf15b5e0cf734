package harness_test

import (
	"testing"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// A connection that a person is asked for already is not asked for a second time, because another
// one was answered meanwhile.
func TestTwoServersNeedConnections(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "  lab: { url: \"https://lab.example\", trusted: true }", text("Done."))
	w.tools.need = &tool.NeedsConnection{App: "app", Reason: "to see its tools"}
	first := w.ask("Go")
	w.want(first, authority)
	second := w.answer(first, `"value":false`) // goes on without hub; lab's is still to be answered
	w.want(second, authority)
	if n := len(w.record(second).Pending); n != 1 {
		t.Errorf("pending are %+v, want the other server's connection alone", w.record(second).Pending)
	}
	w.want(w.answer(second, `"value":false`), completed)
}
