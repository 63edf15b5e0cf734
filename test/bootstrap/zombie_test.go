package bootstrap

import (
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// a bootstrap stands still past its lease, with a write under way, and goes on while another
// works on its task. The write is refused, its message is not done, and nothing is doubled.
func TestZombie(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	g := b.newGate()
	zombie := b.start("turn", map[string]string{"AWS_ENDPOINT_URL": g.URL})
	k := b.send("sleep 3s; say rested; sleep 3s; approve a/b; say done")
	m := b.receive(t.Context())
	if m == nil {
		t.Fatal("no message came for the task")
	}
	var done bool
	var err error
	replied := make(chan struct{})
	go func() {
		defer close(replied)
		done, err = zombie.deliver(m)
	}()
	held := b.await(k, "sleeps", func(r *task.Record) bool { return r.Run.Journaled })
	g.shut.Store(true)
	within(t, g.held, "the zombie to write")
	zombie.signal(syscall.SIGSTOP)

	b.serve(b.start("turn", nil))
	b.await(k, "another works on", func(r *task.Record) bool { return r.Fence > held.Fence && r.Revision > held.Revision+1 })
	close(g.open)
	if a := <-g.answer; a.Code != http.StatusBadRequest || !strings.Contains(a.Body.String(), "ConditionalCheckFailed") {
		t.Errorf("the zombie's write: got %d %.200s, want a failed condition", a.Code, a.Body)
	}
	zombie.signal(syscall.SIGCONT)
	within(t, replied, "the zombie to reply")
	if err != nil || done {
		t.Errorf("the zombie's message: got done %t, %v, want it reported not done", done, err)
	}
	b.approve(b.awaitState(k, a2a.TaskStateAuthRequired))
	b.awaitState(k, a2a.TaskStateCompleted)
	b.compare(k, "sleep 1ms; say rested; sleep 1ms; approve a/b; say done", 1)
}
