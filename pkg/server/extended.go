package server

import (
	"context"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/card"
)

// ExtendedFor shows every authenticated caller the same card; nil: there is none.
func ExtendedFor(more *a2a.AgentCard) func(context.Context, access.Principal) (*a2a.AgentCard, error) {
	if more == nil {
		return nil
	}
	return func(context.Context, access.Principal) (*a2a.AgentCard, error) { return more, nil }
}

// extendedCard is the card with what this caller may see beyond it (CARD-08, R-28).
func (s *Server) extendedCard(ctx context.Context, c CallContext) (any, error) {
	switch {
	case s.o.ExtendedCard == nil:
		return nil, a2a.ErrUnsupported("The agent has no extended card", nil)
	case c.Principal.Anonymous():
		return nil, &access.Unauthenticated{Challenge: "Bearer"}
	}
	more, err := s.o.ExtendedCard(ctx, c.Principal)
	if err != nil {
		return nil, err
	}
	if more == nil {
		return nil, a2a.ErrExtendedCardNotConfigured()
	}
	return card.Merge(s.o.Card, *more), nil
}
