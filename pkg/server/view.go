package server

import (
	"mime"
	"slices"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// view is what one call may see of a task: with the interactions extension or without.
type view struct{ interactions bool }

// viewOf is the view of a call.
func viewOf(c CallContext) view { return view{slices.Contains(c.Extensions, interaction.URI)} }

// task is a whole task, its history as far as asked for: unset and 0 mean none (SPEC-06, R-35).
func (v view) task(now standing, historyLength *int32) a2a.Task {
	t := task.Snapshot(now.record, now.events)
	n := 0
	if historyLength != nil {
		n = int(*historyLength)
	}
	t.History = t.History[max(0, len(t.History)-n):]
	if !v.interactions {
		t = interaction.HideAll(t)
	}
	return t
}

// bare is a message that answers without a task.
func (v view) bare(m a2a.Message) *a2a.Message {
	m.TaskID = ""
	if !v.interactions {
		m = interaction.Hide(m)
	}
	return &m
}

// status is a task's status as a list has it.
func (v view) status(s a2a.TaskStatus) a2a.TaskStatus {
	if s.Message != nil && !v.interactions {
		s.Message = new(interaction.Hide(*s.Message))
	}
	return s
}

// accepts reports whether a media type is among modes, which may say type/* or */*.
func accepts(modes []string, mediaType string) bool {
	mediaType, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(modes, func(mode string) bool {
		kind, wild := strings.CutSuffix(mode, "/*")
		return mode == mediaType || wild && (kind == "*" || strings.HasPrefix(mediaType, kind+"/"))
	})
}
