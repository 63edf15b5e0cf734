package mcp

import (
	"context"
	"errors"
	"slices"

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
	session, err := s.client.Connect(ctx, &sdk.StreamableClientTransport{
		Endpoint: s.o.Server.URL, HTTPClient: s.http,
		DisableStandaloneSSE: true, MaxRetries: -1, MaxEventSize: maxBody,
	}, &sdk.ClientSessionOptions{ProtocolVersion: s.o.Server.Protocol})
	if err == nil {
		s.current = session
	}
	return err
}

// list asks for the tools, on a new session if need be. The lock is held.
func (s *Server) list(ctx context.Context) error {
	if err := s.connect(ctx); err != nil {
		return err
	}
	tools, err := s.describe(ctx, s.current)
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

// Close ends the sessions, which tells servers that keep some. Calls in flight are over first.
func (s *Server) Close() error {
	s.lock <- struct{}{}
	defer s.release()
	var errs []error
	for _, session := range append(slices.Clip(s.past), s.current) {
		if session != nil {
			errs = append(errs, session.Close())
		}
	}
	s.past, s.current = nil, nil
	return errors.Join(errs...)
}

// CloseIdleConnections drops connections that may have died while the process was frozen: on one of
// them a call looks sent and unanswered. Call it when an invocation starts.
func (s *Server) CloseIdleConnections() { s.o.Client.CloseIdleConnections() }
