package storetest

import (
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// The store of the next process has all there was, and work goes on there (STORE-12).
func restart(t testing.TB, h Harness) {
	if h.Reopen == nil {
		t.Skip("the store ends with its process")
	}
	done := begin(t, h.Store, "done").claim()
	done.commit(done.complete(0, "first"))
	paused := begin(t, h.Store, "paused").startPushes().claim().step(task.Step{
		Rows: []task.Row{{Name: "state", Value: []byte{0, 1}}}, Events: []task.Event{said("Hello.")},
	}).ask("q1")
	running := begin(t, h.Store, "running").claim()
	running.renewTo(running.now.Add(time.Minute))
	h.settle()
	listed := list(t, h.Store, alice, task.Query{})
	due := dueBefore(t, h.Store, start.Add(time.Hour), 10)
	said := transcript(t, h.Store, alice, "ctx", task.Latest)

	next := h.Reopen(t)
	for _, l := range []*life{done, paused, running} {
		l.store = next
		l.check()
	}
	diff(t, "list", listed, list(t, next, alice, task.Query{}))
	diff(t, "due", due, dueBefore(t, next, start.Add(time.Hour), 10))
	diff(t, "conversation", said, transcript(t, next, alice, "ctx", task.Latest))
	diff(t, "rows", []string{"agent/state=\x00\x01"}, rows(t, next, paused.rec.Key, ""))
	paused.answer("m-answer").claim().check()
	running.now = running.now.Add(time.Hour)
	running.claim()
	running.commit(running.complete(1, "second")).check()
}
