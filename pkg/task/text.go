package task

import "cmp"

// Text is a piece of text that an agent is writing, for who follows the task: never the truth. What
// it comes to is an event, which replaces it; what a lost run wrote is never shown.
type Text struct {
	Artifact string // id of the artifact that it is to become
	Text     string
	Events   uint64 // number of the last event before it: it stands behind that, and before the next
	TextMark
}

// TextMark is the place of a piece: its run, its attempt within that, from 1, and its number within
// the attempt, from 1. A new attempt begins the text anew.
type TextMark struct {
	Fence   uint64
	Attempt int
	Piece   int
}

// Compare orders marks.
func (m TextMark) Compare(o TextMark) int {
	return cmp.Or(cmp.Compare(m.Fence, o.Fence), cmp.Compare(m.Attempt, o.Attempt), cmp.Compare(m.Piece, o.Piece))
}
