package memory

import (
	"container/list"

	"github.com/interlude-a2a/interlude/pkg/task"
)

type contextKey struct {
	task.Scope
	contextID string
}

// conversation is what the completed tasks of a context said, a turn each, encoded.
type conversation struct {
	key     contextKey
	turns   [][]byte
	element *list.Element // in the written ones
}

// version is the number of turns of a context.
func (s *Store) version(scope task.Scope, contextID string) uint64 {
	if c := s.conversations[contextKey{scope, contextID}]; c != nil {
		return uint64(len(c.turns))
	}
	return 0
}

// appendTurn adds a turn to a context, dropping the conversation written least recently if a new
// one goes beyond the bound.
func (s *Store) appendTurn(scope task.Scope, contextID string, turn []byte) {
	key := contextKey{scope, contextID}
	c := s.conversations[key]
	if c == nil {
		c = &conversation{key: key}
		c.element = s.written.PushBack(c)
		s.conversations[key] = c
	}
	c.turns = append(c.turns, turn)
	s.written.MoveToBack(c.element)
	if len(s.conversations) > s.max {
		oldest := s.written.Remove(s.written.Front()).(*conversation)
		delete(s.conversations, oldest.key)
	}
}
