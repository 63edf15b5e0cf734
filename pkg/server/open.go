package server

import (
	"context"
	"sync"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// openStreams counts the streams of each tenant in this process, or of each subject where there are
// no tenants.
type openStreams struct {
	most int // zero: no bound

	mu    sync.Mutex
	count map[string]int
}

// open takes a place for a caller's stream, until end is called, which may be more than once, or the
// call's context ends.
func (o *openStreams) open(ctx context.Context, c CallContext) (end func(), err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	who := whose(c)
	if o.most > 0 && o.count[who] >= o.most {
		return nil, a2a.ErrTooManyStreams()
	}
	o.count[who]++
	end = sync.OnceFunc(func() { o.close(who) })
	context.AfterFunc(ctx, end)
	return end, nil
}

func (o *openStreams) close(who string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count[who]--; o.count[who] == 0 {
		delete(o.count, who)
	}
}

func whose(c CallContext) string {
	if c.Principal.Tenant != "" {
		return "tenant " + c.Principal.Tenant
	}
	return "subject " + c.Principal.Subject
}
