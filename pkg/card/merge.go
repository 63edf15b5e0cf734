package card

import (
	"maps"
	"slices"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Merge is a card with what another one adds (CARD-08): fields that it has replace those of the
// first, and its skills and security schemes stand beside them, or in the place of those of their
// id or name. Interfaces and capabilities stay, and signatures, which were over another card, go.
func Merge(c, more a2a.AgentCard) a2a.AgentCard {
	for _, f := range []struct {
		to   *string
		from string
	}{
		{&c.Name, more.Name}, {&c.Description, more.Description}, {&c.Version, more.Version},
		{&c.DocumentationURL, more.DocumentationURL}, {&c.IconURL, more.IconURL},
	} {
		if f.from != "" {
			*f.to = f.from
		}
	}
	if more.Provider != nil {
		c.Provider = more.Provider
	}
	c.DefaultInputModes = orOther(more.DefaultInputModes, c.DefaultInputModes)
	c.DefaultOutputModes = orOther(more.DefaultOutputModes, c.DefaultOutputModes)
	c.SecurityRequirements = orOther(more.SecurityRequirements, c.SecurityRequirements)
	c.Skills = withSkills(c.Skills, more.Skills)
	if len(more.SecuritySchemes) > 0 {
		schemes := maps.Clone(more.SecuritySchemes)
		for name, s := range c.SecuritySchemes {
			if _, ok := schemes[name]; !ok {
				schemes[name] = s
			}
		}
		c.SecuritySchemes = schemes
	}
	c.Signatures = nil
	return c
}

func orOther[T any](first, second []T) []T {
	if len(first) > 0 {
		return first
	}
	return second
}

func withSkills(all, more []a2a.AgentSkill) []a2a.AgentSkill {
	all = slices.Clone(all)
	for _, s := range more {
		if i := slices.IndexFunc(all, func(old a2a.AgentSkill) bool { return old.ID == s.ID }); i >= 0 {
			all[i] = s
		} else {
			all = append(all, s)
		}
	}
	return all
}
