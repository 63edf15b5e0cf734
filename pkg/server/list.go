package server

import (
	"context"
	"errors"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// defaultPageSize is the tasks of a page unless asked otherwise (SPEC-07).
const defaultPageSize = 50

// listTasks reads a page of the caller's tasks, newest status first (SPEC-07, R-25, R-26).
func (s *Server) listTasks(ctx context.Context, c CallContext, req a2a.ListTasksRequest) (any, error) {
	size := int32(defaultPageSize)
	if req.PageSize != nil {
		size = *req.PageSize
	}
	query := task.Query{ContextID: req.ContextID, State: req.Status, After: req.StatusTimestampAfter, Limit: int(size)}
	var at place
	if req.PageToken != "" {
		tokens, err := s.tokens(ctx)
		if err != nil {
			return nil, err
		}
		var ok bool
		if at, ok = tokens.read(req.PageToken, c.scope(), query); !ok {
			return nil, a2a.ErrInvalidParams("pageToken", "is not one of this list's")
		}
		query.From = at.cursor()
	}
	page, err := s.o.Store.List(ctx, c.scope(), query)
	if err != nil {
		return nil, err
	}
	tasks := make([]a2a.Task, 0, len(page.Tasks))
	for _, l := range page.Tasks {
		t, err := s.listed(ctx, c, req, l)
		if errors.Is(err, task.ErrNotFound) {
			continue // gone since the index was written
		}
		if err != nil {
			return nil, err
		}
		tasks = append(tasks, t)
	}
	out := a2a.ListTasksResponse{Tasks: tasks, PageSize: size, TotalSize: int32(at.Counted + len(tasks))}
	if page.Next != nil {
		tokens, err := s.tokens(ctx)
		if err != nil {
			return nil, err
		}
		out.NextPageToken = tokens.write(placeAt(*page.Next, int(out.TotalSize)), c.scope(), query)
		out.TotalSize++ // at least one follows
	}
	return out, nil
}

// listed is a task as the list's request wants it; only history and artifacts cost a read.
func (s *Server) listed(ctx context.Context, c CallContext, req a2a.ListTasksRequest, l task.Listed) (a2a.Task, error) {
	v := viewOf(c, a2a.Message{})
	history := req.HistoryLength != nil && *req.HistoryLength > 0
	if !history && !req.IncludeArtifacts {
		return a2a.Task{ID: l.Key.ID, ContextID: l.ContextID, Status: v.status(l.Status)}, nil
	}
	r, events, err := s.o.Store.Read(ctx, l.Key, 0)
	if err != nil {
		return a2a.Task{}, err
	}
	t := v.task(standing{r, events}, req.HistoryLength)
	switch {
	case !req.IncludeArtifacts:
		t.Artifacts = nil
	case t.Artifacts == nil:
		t.Artifacts = []a2a.Artifact{}
	}
	return t, nil
}
