package interaction

import "github.com/interlude-a2a/interlude/pkg/a2a"

// Extension is the card's entry for this extension. It is never required: INT-10 describes
// clients without it (INT-20).
func Extension() a2a.AgentExtension {
	return a2a.AgentExtension{
		URI:         URI,
		Description: "Carries an open approval, question or connection request, and its answer on the same task.",
	}
}
