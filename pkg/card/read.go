package card

import (
	"encoding/json"
	"io/fs"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Read reads the content of an agent's card that was made ahead, name.json.
func Read(dir fs.FS, name string) (content a2a.AgentCard, err error) {
	b, err := fs.ReadFile(dir, name+".json")
	if err == nil {
		err = json.Unmarshal(b, &content)
	}
	return content, err
}
