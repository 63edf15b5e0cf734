package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// A conversation is what completed tasks said, up to any version.
func conversation(t testing.TB, h Harness) {
	var want task.Transcript
	for i := range 3 {
		l := begin(t, h.Store, fmt.Sprintf("t%d", i)).claim()
		c, err := l.complete(uint64(i), fmt.Sprint("turn ", i))
		l.commit(c, err).check()
		for version := range uint64(i + 1) {
			diff(t, "part", task.Transcript{Version: version, Messages: want.Messages[:2*version]},
				transcript(t, h.Store, alice, "ctx", version))
		}
		want.Version++
		want.Messages = append(want.Messages, c.Turn.Messages...)
		diff(t, "whole", want, transcript(t, h.Store, alice, "ctx", task.Latest))
		diff(t, "beyond", want, transcript(t, h.Store, alice, "ctx", want.Version+1))
	}
	begin(t, h.Store, "failed").claim().finish()
	diff(t, "after a failure", want, transcript(t, h.Store, alice, "ctx", task.Latest))
}

// Where only the turn's version is stale nothing is written; a lost run is lost all the same.
func conversationMoved(t testing.TB, h Harness) {
	first := begin(t, h.Store, "t1").claim()
	second := begin(t, h.Store, "t2").claim()
	first.commit(first.complete(0, "first"))
	want := transcript(t, h.Store, alice, "ctx", task.Latest)

	c, err := second.complete(0, "second") // a version that was read: never one that is yet to come
	if err != nil {
		t.Fatalf("Finish: %v", err)
	}
	c.Rows = []task.Row{{Name: "agent/a", Value: []byte("1")}}
	_, err = h.Store.Commit(t.Context(), second.rec.Key, c)
	var moved *task.ConversationMoved
	if !errors.As(err, &moved) || moved.Version != 1 {
		t.Fatalf("Commit at version 0: got %v (%+v), want the conversation moved to 1", err, moved)
	}
	second.check()
	diff(t, "rows", nil, rows(t, h.Store, second.rec.Key, ""))
	diff(t, "conversation", want, transcript(t, h.Store, alice, "ctx", task.Latest))

	zombie, err := second.complete(0, "zombie")
	if err != nil {
		t.Fatalf("Finish: %v", err)
	}
	second.takeover()
	_, err = h.Store.Commit(t.Context(), second.rec.Key, zombie)
	refused(t, "Commit of a zombie with a stale version", err, second.rec)
	second.commit(second.complete(1, "second")).check()
}

// However many tasks of a context complete at once, each adds its turn once.
func conversationRace(t testing.TB, h Harness) {
	const n = 12
	lives := make([]*life, n)
	for i := range lives {
		lives[i] = begin(t, h.Store, fmt.Sprintf("t%02d", i)).claim()
	}
	turns := make([]uint64, n) // which turn each one's is
	var wg sync.WaitGroup
	for i, l := range lives {
		c, err := l.complete(0, l.rec.ID)
		if err != nil {
			t.Fatalf("Finish: %v", err)
		}
		wg.Go(func() {
			for {
				_, err := h.Store.Commit(t.Context(), l.rec.Key, c)
				var moved *task.ConversationMoved
				if !errors.As(err, &moved) {
					if turns[i] = c.Turn.Version; err != nil {
						t.Errorf("Commit: %v", err)
					}
					return
				}
				if moved.Version <= c.Turn.Version {
					t.Errorf("the conversation moved from %d to %d", c.Turn.Version, moved.Version)
					return
				}
				c.Turn.Version = moved.Version
			}
		})
	}
	wg.Wait()
	got := transcript(t, h.Store, alice, "ctx", task.Latest)
	if got.Version != n || len(got.Messages) != 2*n {
		t.Fatalf("conversation: got version %d, %d messages, want %d, %d", got.Version, len(got.Messages), n, 2*n)
	}
	for i, l := range lives {
		diff(t, "turn of "+l.rec.ID, l.rec.ID, words(got.Messages[2*turns[i]]))
	}
}

// Contexts of one scope are as apart as scopes are.
func conversationIsolation(t testing.TB, h Harness) {
	for i, contextID := range []string{"c", "C", "c#1", "c/1", "c ", "%", "c\u00e9", "ce\u0301"} {
		l := newLife(t, h.Store, alice, fmt.Sprint("t", i), contextID).create().claim()
		l.commit(l.complete(0, contextID)).check()
		diff(t, "said", contextID, words(transcript(t, h.Store, alice, contextID, task.Latest).Messages[0]))
	}
	other := task.Scope{Tenant: "acme", Owner: "bob"}
	diff(t, "another's", task.Transcript{}, transcript(t, h.Store, other, "c", task.Latest))
}
