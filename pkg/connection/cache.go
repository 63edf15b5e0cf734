package connection

import (
	"context"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/access"
)

// DefaultKeep is how long a [Cache] remembers.
const DefaultKeep = time.Minute

// maxKept bounds what a cache holds: it is emptied when it is full.
const maxKept = 1024

// Cache remembers tokens that were found, for a minute and never beyond their own end. That there
// is none is not remembered. It is safe for concurrent use.
type Cache struct {
	resolve Resolver
	keep    time.Duration
	now     func() time.Time

	mu   sync.Mutex
	kept map[asked]found
}

type asked struct{ tenant, owner, connection string }

type found struct {
	Token
	at time.Time
}

// NewCache remembers what resolve finds. Zero values are defaults.
func NewCache(resolve Resolver, keep time.Duration, now func() time.Time) *Cache {
	if keep == 0 {
		keep = DefaultKeep
	}
	if now == nil {
		now = time.Now
	}
	return &Cache{resolve: resolve, keep: keep, now: now, kept: map[asked]found{}}
}

// Token finds a token that was looked up no earlier than since, so that nobody is told of an app
// as unconnected that a person has connected by then. Empty: there is none.
func (c *Cache) Token(ctx context.Context, who access.Principal, connection string, since time.Time) (string, error) {
	k, now := asked{who.Tenant, who.Subject, connection}, c.now()
	c.mu.Lock()
	f, ok := c.kept[k]
	c.mu.Unlock()
	if ok && f.holds(now, c.keep) && !f.at.Before(since) {
		return f.Value, nil
	}
	t, err := c.resolve(ctx, who, connection)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.kept) >= maxKept {
		clear(c.kept)
	}
	delete(c.kept, k)
	if t.Value != "" {
		c.kept[k] = found{t, now}
	}
	return t.Value, nil
}

// holds reports whether a token may still be used at now.
func (f found) holds(now time.Time, keep time.Duration) bool {
	return now.Before(f.at.Add(keep)) && (f.Expires.IsZero() || now.Before(f.Expires))
}
