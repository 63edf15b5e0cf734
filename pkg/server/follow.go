package server

import (
	"context"
	"errors"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// pollMin is the pause between two looks at a task where something happened just now.
const pollMin = 50 * time.Millisecond

// follower looks at a task until something is new: at once when it changed in this process, else
// after a pause that grows while nothing happens (SRV-11, SRV-30).
type follower struct {
	server  *Server
	record  *task.Record // as last read
	said    task.TextMark
	changed <-chan struct{}
	stop    func()
	read    func(ctx context.Context, k task.Key, after uint64) (*task.Record, []task.Event, error)
	listen  func(ctx context.Context, k task.Key, after task.TextMark) ([]task.Text, error)
	pause   time.Duration
	poll    *time.Timer
}

// news is what became of a task since the last look.
type news struct {
	record *task.Record
	events []task.Event
	text   []task.Text // that is being written, where the follower reads it
}

// follow begins to follow a task from a record on. Stop it.
func (s *Server) follow(r *task.Record) *follower {
	f := &follower{
		server: s, record: r, pause: pollMin, stop: func() {}, poll: time.NewTimer(0),
		read: s.o.Store.Read, listen: s.o.Store.Said,
	}
	if w := s.o.Watcher; w != nil {
		f.changed, f.stop = w.Watch(r.Key)
		f.read, f.listen = w.Look, w.Listen
	}
	return f
}

// next waits until there is news. It fails when ctx ends, and when the task is gone; another read that
// fails is made again at the next look.
func (f *follower) next(ctx context.Context, withText bool) (news, error) {
	for {
		f.poll.Reset(f.pause)
		select {
		case <-ctx.Done():
			return news{}, ctx.Err()
		case <-f.changed:
		case <-f.poll.C:
		}
		n, ok, err := f.look(ctx, withText)
		switch {
		case errors.Is(err, task.ErrNotFound):
			return news{}, err
		case ok:
			f.pause = pollMin
			return n, nil
		}
		f.pause = min(2*f.pause, f.server.o.PollMax)
	}
}

// look reads what is new.
func (f *follower) look(ctx context.Context, withText bool) (n news, ok bool, err error) {
	r, events, err := f.read(ctx, f.record.Key, f.record.Events)
	if err != nil {
		return n, false, err
	}
	ok = r.Revision != f.record.Revision
	f.record, n = r, news{record: r, events: events}
	if withText && r.Run.Streams && r.Lease != nil {
		n.text = f.text(ctx)
		ok = ok || len(n.text) > 0
	}
	return n, ok, nil
}

// text reads on what the task's run is writing: what stands behind the last event that was read. An
// event that came after a text has replaced it.
func (f *follower) text(ctx context.Context) (fresh []task.Text) {
	if f.said.Fence != f.record.Fence {
		f.said = task.TextMark{Fence: f.record.Fence}
	}
	all, err := f.listen(ctx, f.record.Key, f.said)
	if err != nil {
		return nil
	}
	for _, t := range all {
		if t.Events > f.record.Events {
			break // behind an event that the next look reads
		}
		f.said = t.TextMark
		if t.Events == f.record.Events {
			fresh = append(fresh, t)
		}
	}
	return fresh
}

// wait follows a task until it is finished or waits for somebody, or is gone, for at most the bound of a
// blocking call, and returns it as it was seen last.
func (s *Server) wait(ctx context.Context, now standing) standing {
	f := s.follow(now.record)
	defer f.stop()
	ctx, cancel := context.WithTimeout(ctx, s.o.BlockingWait)
	defer cancel()
	for !rests(now.record) {
		n, err := f.next(ctx, false)
		if err != nil {
			return now
		}
		now = standing{n.record, append(now.events, n.events...)}
	}
	return now
}

// rests reports whether a task is finished or waits for somebody.
func rests(r *task.Record) bool {
	state := r.Status.State
	return state.Terminal() || state.Interrupted()
}
