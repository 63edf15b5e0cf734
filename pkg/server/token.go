package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Secret returns the secret of the deployment, at least 32 bytes, the same on every replica. It
// is asked when a call needs it, so that reading it delays no start; it keeps what it read.
type Secret func(context.Context) ([]byte, error)

// Static is a secret that is at hand.
func Static(secret []byte) Secret {
	return func(context.Context) ([]byte, error) { return secret, nil }
}

// minSecret is the shortest secret, in bytes.
const minSecret = 32

func (s *Server) secret(ctx context.Context) ([]byte, error) {
	b, err := s.o.Secret(ctx)
	if err == nil && len(b) < minSecret {
		err = errors.New("server: the secret must have at least 32 bytes")
	}
	return b, err
}

// tokens writes and reads page tokens: a place in a list, sealed together with whose list it is
// and what it was filtered by, so that a token serves nothing else.
type tokens struct{ secret []byte }

func (s *Server) tokens(ctx context.Context) (tokens, error) {
	b, err := s.secret(ctx)
	return tokens{b}, err
}

// place is where a page ended, and how many tasks the walk has counted so far.
type place struct {
	At      int64  `json:"t"` // status time, Unix milliseconds
	ID      string `json:"i"`
	Counted int    `json:"n"`
}

func placeAt(c task.Cursor, counted int) place {
	return place{At: c.At.UnixMilli(), ID: c.ID, Counted: counted}
}

func (p place) cursor() task.Cursor { return task.Cursor{At: time.UnixMilli(p.At).UTC(), ID: p.ID} }

func (t tokens) write(p place, s task.Scope, q task.Query) string {
	b, _ := json.Marshal(p) // numbers and a string: cannot fail
	return base64.RawURLEncoding.EncodeToString(append(t.seal(b, s, q), b...))
}

func (t tokens) read(token string, s task.Scope, q task.Query) (p place, ok bool) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) < sealSize || !hmac.Equal(b[:sealSize], t.seal(b[sealSize:], s, q)) {
		return place{}, false
	}
	return p, json.Unmarshal(b[sealSize:], &p) == nil
}

const sealSize = 16

// seal binds a place to a scope and its filters. The page's size is no filter: it may change on
// the way.
func (t tokens) seal(b []byte, s task.Scope, q task.Query) []byte {
	bound, _ := json.Marshal([]any{"page", s.Tenant, s.Owner, q.ContextID, q.State, q.After.UnixNano(), b})
	m := hmac.New(sha256.New, t.secret)
	m.Write(bound)
	return m.Sum(nil)[:sealSize]
}
