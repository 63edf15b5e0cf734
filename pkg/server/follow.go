package server

import (
	"context"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// pollMin is the pause between two looks at a task where something happened just now.
const pollMin = 50 * time.Millisecond

// wait follows a task until it is finished or waits for somebody, for at most the bound of a
// blocking call, and returns it as it stands then.
func (s *Server) wait(ctx context.Context, now standing) standing {
	settled := func() bool {
		state := now.record.Status.State
		return state.Terminal() || state.Interrupted()
	}
	changed, stop := s.watch(now.record.Key)
	defer stop()
	bound := time.NewTimer(s.o.BlockingWait)
	defer bound.Stop()
	pause := pollMin
	for !settled() {
		look := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			look.Stop()
			return now
		case <-bound.C:
			look.Stop()
			return now
		case <-changed:
			look.Stop()
		case <-look.C:
		}
		// A read that fails is made again at the next look.
		r, events, err := s.o.Store.Read(ctx, now.record.Key, now.record.Events)
		if err != nil || r.Revision == now.record.Revision {
			pause = min(2*pause, s.o.PollMax)
			continue
		}
		now = standing{r, append(now.events, events...)}
		pause = pollMin
	}
	return now
}

func (s *Server) watch(k task.Key) (changed <-chan struct{}, stop func()) {
	if s.o.Watcher == nil {
		return nil, func() {}
	}
	return s.o.Watcher.Watch(k)
}
