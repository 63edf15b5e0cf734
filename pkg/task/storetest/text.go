package storetest

import (
	"fmt"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Text is read back in the order of its marks, that of another run or task never; a piece that
// comes twice is there once.
func texts(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	other := begin(t, h.Store, "t2").claim()
	say := func(l *life, fence uint64, attempt, piece int) {
		t.Helper()
		words := fmt.Sprintf("%d/%d/%d ", fence, attempt, piece)
		err := h.Store.Say(t.Context(), l.rec.Key, task.Text{Artifact: "answer", Text: words, Events: uint64(piece + 7), TextMark: task.TextMark{Fence: fence, Attempt: attempt, Piece: piece}})
		if err != nil {
			t.Fatalf("Say %s: %v", words, err)
		}
	}
	said := func(l *life, fence uint64, attempt, piece int) (words string) {
		t.Helper()
		all, err := h.Store.Said(t.Context(), l.rec.Key, task.TextMark{Fence: fence, Attempt: attempt, Piece: piece})
		if err != nil {
			t.Fatalf("Said: %v", err)
		}
		for _, s := range all {
			if s.Fence != fence || s.Artifact != "answer" || s.Events != uint64(s.Piece+7) {
				t.Errorf("got %+v of fence %d", s, fence)
			}
			words += s.Text
		}
		return words
	}
	want := func(got, want string) {
		t.Helper()
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f := l.rec.Fence
	want(said(l, f, 0, 0), "")
	for piece := 1; piece <= 12; piece++ {
		say(l, f, 1, piece)
	}
	say(l, f, 1, 12)
	want(said(l, f, 1, 9), fmt.Sprintf("%d/1/10 %d/1/11 %d/1/12 ", f, f, f))
	want(said(l, f, 1, 12), "")
	want(said(l, f+1, 0, 0), "")
	want(said(other, other.rec.Fence, 0, 0), "")
	say(l, f, 2, 1)
	want(said(l, f, 1, 12), fmt.Sprintf("%d/2/1 ", f))
	l.takeover()
	say(l, l.rec.Fence, 1, 1)
	say(l, f, 2, 2) // the lost run's
	want(said(l, l.rec.Fence, 0, 0), fmt.Sprintf("%d/1/1 ", l.rec.Fence))
	stranger := l.rec.Key
	stranger.Owner = "mallory"
	if all, err := h.Store.Said(t.Context(), stranger, task.TextMark{Fence: l.rec.Fence}); err != nil || len(all) > 0 {
		t.Errorf("a stranger's: got %v, %v", all, err)
	}
	l.check()
}
