package server_test

import (
	"context"
	"errors"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// CARD-08, R-28: each caller sees what it may; nobody is nobody.
func TestExtendedCard(t *testing.T) {
	t.Parallel()
	s := newSystem(t, func(o *server.Options) {
		o.Card.Capabilities.ExtendedAgentCard = true
		o.ExtendedCard = func(_ context.Context, p access.Principal) (*a2a.AgentCard, error) {
			switch p.Subject {
			case "alice":
				return &a2a.AgentCard{Description: "For alice."}, nil
			case "carol":
				return nil, errors.New("the secret is lost")
			}
			return nil, nil
		}
	})
	out := s.call(alice, "GetExtendedAgentCard", `{}`)
	if c, ok := out.Result.(a2a.AgentCard); !ok || c.Description != "For alice." || c.Name != "test" || !c.Capabilities.ExtendedAgentCard {
		t.Errorf("alice: got %+v, %v", out.Result, out.Err)
	}
	s.refused(bob, "GetExtendedAgentCard", `{}`, a2a.CodeExtendedCardNotConfigured)
	s.refused(server.CallContext{Principal: access.Principal{Subject: "carol"}}, "GetExtendedAgentCard", `{}`, a2a.CodeInternal)
	if out := s.call(server.CallContext{}, "GetExtendedAgentCard", `{}`); out.Unauthenticated == nil || out.Err == nil {
		t.Errorf("nobody: got %+v", out)
	}
	s.refused(alice, "GetExtendedAgentCard", `[]`, a2a.CodeInvalidParams)
}

func TestExtendedFor(t *testing.T) {
	t.Parallel()
	if server.ExtendedFor(nil) != nil {
		t.Error("none: got one")
	}
	more := &a2a.AgentCard{Name: "x"}
	if got, err := server.ExtendedFor(more)(t.Context(), access.Local); err != nil || got != more {
		t.Errorf("got %v, %v", got, err)
	}
}
