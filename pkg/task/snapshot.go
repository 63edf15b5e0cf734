package task

import (
	"slices"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Snapshot is the task that a record and all its events tell: every message of both sides
// (SRV-27), a status message joining the history when a newer status replaces it, and the
// artifacts, put together from their pieces.
func Snapshot(r *Record, events []Event) a2a.Task {
	t := a2a.Task{ID: r.ID, ContextID: r.ContextID, Status: r.Status}
	var status a2a.TaskStatus // its message is not in the history yet
	replaced := func() {
		if status.Message != nil {
			t.History = append(t.History, *status.Message)
			status.Message = nil
		}
	}
	for _, e := range events {
		switch {
		case e.Message != nil:
			if status.State.Interrupted() { // an answer stands behind what it answers
				replaced()
			}
			t.History = append(t.History, *e.Message)
		case e.Status != nil:
			replaced()
			status = *e.Status
		case e.Artifact != nil:
			t.Artifacts = place(t.Artifacts, *e.Artifact)
		}
	}
	return t
}

// place adds an artifact, a further piece of one, or one that replaces another of its id.
func place(all []a2a.Artifact, piece Piece) []a2a.Artifact {
	i := slices.IndexFunc(all, func(a a2a.Artifact) bool { return a.ArtifactID == piece.Artifact.ArtifactID })
	switch {
	case i < 0:
		return append(all, piece.Artifact)
	case piece.Append:
		all[i].Parts = append(slices.Clip(all[i].Parts), piece.Artifact.Parts...)
	default:
		all[i] = piece.Artifact
	}
	return all
}
