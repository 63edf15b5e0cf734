package card

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Files of cards that were made ahead, behind the agent's name.
const (
	File         = ".json"
	ExtendedFile = ".extended.json" // what authenticated callers see beyond it, if there is more
)

// Read reads the content of an agent's card that was made ahead, and what authenticated callers see
// beyond it; nil: nothing.
func Read(dir fs.FS, agent string) (content a2a.AgentCard, more *a2a.AgentCard, err error) {
	if err := read(dir, agent+File, &content); err != nil {
		return content, nil, err
	}
	more = new(a2a.AgentCard)
	err = read(dir, agent+ExtendedFile, more)
	if errors.Is(err, fs.ErrNotExist) {
		return content, nil, nil
	}
	return content, more, err
}

func read(dir fs.FS, name string, into *a2a.AgentCard) error {
	b, err := fs.ReadFile(dir, name)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(b, into); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
