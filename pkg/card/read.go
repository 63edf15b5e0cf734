package card

import (
	"encoding/json"
	"errors"
	"io/fs"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Files of cards that were made ahead, behind the agent's name.
const (
	File         = ".json"
	ExtendedFile = ".extended.json" // what authenticated callers see beyond it, if there is more
)

// Read reads the content of an agent's card that was made ahead.
func Read(dir fs.FS, agent string) (content a2a.AgentCard, err error) {
	b, err := fs.ReadFile(dir, agent+File)
	if err == nil {
		err = json.Unmarshal(b, &content)
	}
	return content, err
}

// ReadExtended reads what authenticated callers see beyond an agent's card; nil: nothing.
func ReadExtended(dir fs.FS, agent string) (*a2a.AgentCard, error) {
	b, err := fs.ReadFile(dir, agent+ExtendedFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var more a2a.AgentCard
	if err == nil {
		err = json.Unmarshal(b, &more)
	}
	return &more, err
}
