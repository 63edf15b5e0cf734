package mcp

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// attempt is what became of the requests of one step on the wire. The SDK's errors do not tell
// whether a request reached its server, so the transport notes it here.
type attempt struct {
	every bool         // note every request; else only the first: a cancellation that follows a call is not the call
	late  func() error // says that the request may not go out any more; nil: it may

	mu              sync.Mutex
	begun           bool
	connected, sent bool // got a connection; wrote the headers
	status          int  // of the answer, 0 for none
	stopped         bool // it was too late when the body was to be written: the server has no whole request
	scope           bool // the answer asks for a token with more scope
	tooLarge        bool
	token           error
	needs           *tool.NeedsConnection
	renewed         bool // the token that was refused is not the newest
}

type attemptKey struct{}

// begin starts an attempt that requests made under the context are noted in.
func begin(ctx context.Context, every bool) (context.Context, *attempt) {
	a := &attempt{every: every}
	return context.WithValue(ctx, attemptKey{}, a), a
}

// current is the attempt that a request belongs to. One that belongs to none goes to a fresh one, and is
// no part of a step.
func current(r *http.Request) (a *attempt, ofStep bool) {
	a, ok := r.Context().Value(attemptKey{}).(*attempt)
	if !ok || r.Method != http.MethodPost {
		return &attempt{}, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.begun && !a.every {
		return &attempt{}, false
	}
	a.begun, a.connected, a.sent, a.status = true, false, false, 0
	return a, true
}

func (a *attempt) note(f func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f()
}

// trace sees how far a request comes. GotConn alone says that nothing was written yet, unless the
// request's context ended meanwhile and left the writing to itself.
func (a *attempt) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GotConn:      func(httptrace.GotConnInfo) { a.note(func() { a.connected = true }) },
		WroteHeaders: func() { a.note(func() { a.sent = true }) },
	}
}

func (a *attempt) answered(resp *http.Response) {
	a.note(func() {
		a.status = resp.StatusCode
		a.scope = strings.Contains(strings.Join(resp.Header.Values("WWW-Authenticate"), ","), "insufficient_scope")
	})
}

// refusedToken reports whether the server wants another token.
func (a *attempt) refusedToken() bool {
	return a.status == http.StatusUnauthorized || a.status == http.StatusForbidden && a.scope
}

// transport adds the token to every request and notes its attempt.
type transport struct {
	base  http.RoundTripper
	token func(ctx context.Context, since time.Time) (string, error)
	asked atomic.Int64 // requests that belong to no attempt: answers to what a server asks of us
}

// maxAsked is the most of them: an answer of a server may ask without end.
const maxAsked = 1000

var errAskedTooMuch = errors.New("the server asks too much")

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	a, ofStep := current(r)
	sent := r.Clone(httptrace.WithClientTrace(r.Context(), a.trace()))
	sent.GetBody = nil // without it net/http cannot send a call again by itself
	token, err := t.authorize(sent, a)
	switch {
	case err != nil:
	case !ofStep && r.Method == http.MethodPost && t.asked.Add(1) > maxAsked:
		err = errAskedTooMuch
	case a.late != nil:
		err = a.late() // finding a token took its time
		sent.Body = &unsent{ReadCloser: sent.Body, attempt: a}
	}
	if err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	resp, err := t.base.RoundTrip(sent)
	if err != nil {
		return nil, err
	}
	a.answered(resp)
	if token != "" && a.refusedToken() {
		newest, err := t.token(r.Context(), time.Now())
		a.note(func() { a.renewed = err == nil && newest != "" && newest != token })
	}
	resp.Body = &body{ReadCloser: http.MaxBytesReader(nil, resp.Body, maxBody), attempt: a}
	return resp, nil
}

func (t *transport) authorize(r *http.Request, a *attempt) (token string, err error) {
	if t.token == nil {
		return "", nil
	}
	token, err = t.token(r.Context(), time.Time{})
	if err != nil {
		a.note(func() {
			a.token = err
			errors.As(err, &a.needs)
		})
		return "", err
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	return token, nil
}

// unsent is the body of a request that asks once more whether it is too late before any of it is
// written: connecting took its time.
type unsent struct {
	io.ReadCloser
	attempt *attempt
	begun   bool
}

func (u *unsent) Read(p []byte) (int, error) {
	if !u.begun {
		if err := u.attempt.late(); err != nil {
			u.attempt.note(func() { u.attempt.stopped = true })
			return 0, err
		}
		u.begun = true
	}
	return u.ReadCloser.Read(p)
}

// body notes when an answer is longer than it may be.
type body struct {
	io.ReadCloser
	attempt *attempt
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if tooLarge := new(http.MaxBytesError); errors.As(err, &tooLarge) {
		b.attempt.note(func() { b.attempt.tooLarge = true })
	}
	return n, err
}
