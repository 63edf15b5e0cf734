package server

import (
	"context"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// getTask reads one task.
func (s *Server) getTask(ctx context.Context, c CallContext, req a2a.GetTaskRequest) (any, error) {
	now, err := s.read(ctx, c.key(req.ID))
	if err != nil {
		return nil, err
	}
	return viewOf(c).task(now, req.HistoryLength), nil
}

// cancelTask ends one task.
func (s *Server) cancelTask(ctx context.Context, c CallContext, req a2a.CancelTaskRequest) (any, error) {
	now, err := s.read(ctx, c.key(req.ID))
	if err != nil {
		return nil, err
	}
	now, written, err := s.change(ctx, now, task.Cancel)
	if err != nil {
		return nil, err
	}
	if written {
		s.poke(ctx, now.record)
	}
	return viewOf(c).task(now, nil), nil
}
