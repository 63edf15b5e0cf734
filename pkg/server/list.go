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
	tasks, err := s.contents(ctx, c, req, &page)
	if err != nil {
		return nil, err
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

// contents are a page's tasks as the list's request wants them; only history and artifacts cost reads.
// A page that would grow too large ends early, but for its first task, which may be too large alone.
func (s *Server) contents(ctx context.Context, c CallContext, req a2a.ListTasksRequest, page *task.Page) ([]a2a.Task, error) {
	v := viewOf(c)
	tasks, size := make([]a2a.Task, 0, len(page.Tasks)), 0
	for i, l := range page.Tasks {
		t, err := s.content(ctx, v, req, l)
		if errors.Is(err, task.ErrNotFound) || err == nil && req.Status != "" && t.Status.State != req.Status {
			continue // gone, or gone on, since the index was written
		}
		if err != nil {
			return nil, err
		}
		b, err := a2a.Marshal(t)
		if err != nil {
			return nil, err
		}
		if size += len(b); size > s.o.MaxPage && len(tasks) > 0 {
			last := page.Tasks[i-1] // where it was listed: it may have moved since
			page.Next = &task.Cursor{At: last.Status.Timestamp, ID: last.Key.ID}
			break
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// content is a task with its history and artifacts as far as they are asked for.
func (s *Server) content(ctx context.Context, v view, req a2a.ListTasksRequest, l task.Listed) (a2a.Task, error) {
	if history := req.HistoryLength != nil && *req.HistoryLength > 0; !history && !req.IncludeArtifacts {
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
