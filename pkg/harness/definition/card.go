package definition

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// ExtendedCardFile stands beside the agent's file and is what authenticated callers see beyond its card: a
// part of a card, as A2A writes it (CARD-08).
const ExtendedCardFile = "extended-card.json"

// AgentCard is what the file says for the agent's card.
func (d *Definition) AgentCard() a2a.AgentCard {
	return a2a.AgentCard{
		Name: d.Name, Description: d.Description, Version: d.Version,
		DefaultInputModes:  []string{"text/plain", a2a.MediaTypeJSON},
		DefaultOutputModes: []string{"text/plain"},
		Skills: []a2a.AgentSkill{{
			ID: d.Name, Name: d.Name, Description: d.Description, Tags: d.Card.Tags, Examples: d.Card.Examples,
		}},
	}
}

// LoadExtendedCard reads what authenticated callers see beyond the card; nil: nothing.
func LoadExtendedCard(dir fs.FS) (*a2a.AgentCard, error) {
	b, err := fs.ReadFile(dir, ExtendedCardFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var c a2a.AgentCard
	if err := json.Unmarshal(b, &c); err != nil {
		return nil, Problems{{Text: ExtendedCardFile + " is no part of a card: " + err.Error()}}
	}
	return &c, unknownFields(b, c)
}

// unknownFields finds members that a card does not have: what is read ignores them, as the protocol
// wants it.
func unknownFields(b []byte, c a2a.AgentCard) error {
	var given, known map[string]json.RawMessage
	whole, err := a2a.Marshal(c)
	if err == nil {
		err = errors.Join(json.Unmarshal(b, &given), json.Unmarshal(whole, &known))
	}
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := known[name]; !ok {
			return Problems{{Text: fmt.Sprintf("%s: %q is no field of a card", ExtendedCardFile, name)}}
		}
	}
	return nil
}
