package task

import (
	"fmt"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Sizes in bytes of JSON.
const (
	MaxPiece       = 1 << 20 // one message or artifact piece
	MaxStatus      = 64 << 10
	MaxInteraction = 16 << 10
	MaxPending     = 192 << 10 // all that one task asks at a time: they stand in its record together
)

// checkSize refuses what an agent wrote if it can't be kept, or not be read again.
func checkSize(v any, what string, limit int) error {
	b, err := a2a.Marshal(v)
	if err != nil {
		return &AgentError{Reason: "the agent wrote " + what + " that is not JSON"}
	}
	if len(b) > limit {
		return &AgentError{Reason: fmt.Sprintf("the agent wrote %s of %d bytes; the limit is %d", what, len(b), limit)}
	}
	if err := a2a.CheckJSON(b); err != nil {
		return &AgentError{Reason: "the agent wrote " + what + " that nobody can read: " + err.Error()}
	}
	return nil
}

// checkParts refuses content of an agent that has none, or is too big.
func checkParts(parts []a2a.Part, v any, what string, limit int) error {
	if len(parts) == 0 {
		return &AgentError{Reason: "the agent wrote " + what + " without parts"}
	}
	return checkSize(v, what, limit)
}
