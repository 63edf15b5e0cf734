package server

import (
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

// room reports whether a caller may open another one. Of several at once all may get in: what is
// bounded is what a tenant takes, not the last one.
func (o *openStreams) room(c CallContext) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.most > 0 && o.count[whose(c)] >= o.most {
		return a2a.ErrTooManyStreams()
	}
	return nil
}

func (o *openStreams) add(c CallContext, n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	who := whose(c)
	if o.count[who] += n; o.count[who] == 0 {
		delete(o.count, who)
	}
}

func whose(c CallContext) string {
	if c.Principal.Tenant != "" {
		return "tenant " + c.Principal.Tenant
	}
	return "subject " + c.Principal.Subject
}
