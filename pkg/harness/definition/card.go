package definition

import "github.com/interlude-a2a/interlude/pkg/a2a"

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
