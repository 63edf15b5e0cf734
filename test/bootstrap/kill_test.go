package bootstrap

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// LEASE-02, R-33, R-34: kill −9 in mid-turn: another bootstrap takes the task over, and each
// statement takes effect once.
func TestKill(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	first := b.start("turn", nil)
	b.serve(first)
	k := b.send("say begun; sleep 5s; approve a/b; say done")
	held := b.await(k, "has begun", func(r *task.Record) bool { return r.Run.Journaled })
	first.kill()
	killed := time.Now()

	b.serve(b.start("turn", nil))
	b.await(k, "another holds", func(r *task.Record) bool { return r.Fence > held.Fence })
	if took := time.Since(killed); took < lease-time.Second || took > visible+10*time.Second {
		t.Errorf("taken over after %v, want once the message is seen again, %v after the last renewal", took, visible)
	}
	b.approve(b.awaitState(k, a2a.TaskStateAuthRequired))
	b.awaitState(k, a2a.TaskStateCompleted)
	b.compare(k, "say begun; sleep 1ms; approve a/b; say done", 1)
}

// compare holds a task that was taken over against one that plays the same script in peace. Each
// takeover adds a claim to its revisions.
func (b *bed) compare(k task.Key, script string, takeovers uint64) {
	b.Helper()
	peace := b.send(script)
	b.approve(b.awaitState(peace, a2a.TaskStateAuthRequired))
	b.awaitState(peace, a2a.TaskStateCompleted)
	want, revision := b.story(peace)
	got, gotRevision := b.story(k)
	if diff := cmp.Diff(want, got); diff != "" {
		b.Errorf("events (-in peace +got):\n%s", diff)
	}
	if gotRevision != revision+takeovers {
		b.Errorf("got revision %d, want %d and %d more", gotRevision, revision, takeovers)
	}
}
