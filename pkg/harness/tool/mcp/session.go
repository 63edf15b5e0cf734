package mcp

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

func (s *Server) acquire(ctx context.Context) error {
	select {
	case s.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Server) release() { <-s.lock }

// connect makes a session unless there is one. The lock is held.
func (s *Server) connect(ctx context.Context) error {
	if s.current != nil {
		return nil
	}
	return survive(func() error {
		session, err := s.client.Connect(ctx, &sdk.StreamableClientTransport{
			Endpoint: s.o.Server.URL, HTTPClient: s.http,
			DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: maxBody,
		}, &sdk.ClientSessionOptions{ProtocolVersion: s.o.Server.Protocol})
		if err == nil {
			s.current = session
		}
		return err
	})
}

// survive takes a panic of the SDK for an answer that could not be read: it has some where an answer
// holds null.
func survive(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = errors.New("mcp: an answer could not be read")
		}
	}()
	return f()
}

// list asks for the tools, on a new session if need be. The lock is held.
func (s *Server) list(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	var tools []tool.Tool
	err := survive(func() (err error) {
		tools, err = s.describe(ctx, s.current)
		return err
	})
	if err != nil {
		s.past, s.current = append(s.past, s.current), nil
		return err
	}
	if tools == nil {
		tools = []tool.Tool{} // listed, and none
	}
	s.tools = tools
	return nil
}

// giveUp lets the next call connect anew. The session stays open for the calls of others.
func (s *Server) giveUp(session *sdk.ClientSession) {
	s.lock <- struct{}{}
	defer s.release()
	if s.current == session {
		s.past, s.current = append(s.past, session), nil
	}
}

// closeTime is how long servers have to hear that their sessions have ended. What they say is of no
// use, and a slice waits to write its outcome.
const closeTime = time.Second

// Close ends the sessions, which tells servers that keep some, and their connections. Calls in flight
// are over first. A server that does not answer holds nobody up.
func (s *Server) Close() error {
	s.lock <- struct{}{}
	defer s.release()
	var wg sync.WaitGroup
	for _, session := range append(slices.Clip(s.past), s.current) {
		if session != nil {
			wg.Go(func() { _ = session.Close() })
		}
	}
	s.past, s.current = nil, nil
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		wg.Wait()
		s.o.Client.CloseIdleConnections()
	}()
	t := time.NewTimer(closeTime)
	defer t.Stop()
	select {
	case <-ended:
	case <-t.C:
	}
	return nil
}
