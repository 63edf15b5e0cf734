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
	artifacts := assembly{at: map[string]int{}}
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
			artifacts.add(*e.Artifact)
		}
	}
	t.Artifacts = artifacts.all
	return t
}

// assembly puts artifacts together, in time that grows with their pieces.
type assembly struct {
	all []a2a.Artifact
	own []bool         // whose parts are no event's
	at  map[string]int // by id
}

// add adds an artifact, a further piece of one, or one that replaces another of its id.
func (y *assembly) add(piece Piece) {
	i, ok := y.at[piece.Artifact.ArtifactID]
	switch {
	case !ok:
		y.at[piece.Artifact.ArtifactID] = len(y.all)
		y.all, y.own = append(y.all, piece.Artifact), append(y.own, false)
	case piece.Append:
		parts := y.all[i].Parts
		if !y.own[i] {
			parts = slices.Clip(parts) // its event's stay as they are
		}
		y.all[i].Parts, y.own[i] = append(parts, piece.Artifact.Parts...), true
	default:
		y.all[i], y.own[i] = piece.Artifact, false
	}
}
