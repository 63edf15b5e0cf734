package agenttest

import "github.com/interlude-a2a/interlude/pkg/a2a"

// Card tells of the agent: its content, to be completed by package card.
var Card = a2a.AgentCard{
	Name:        "scripted",
	Description: "Plays the script that the first message's text is: say, approve, ask, connect, piece, artifact, message, sleep, fail, reject, crash, parted by semicolons. Echoes everything else.",
	Version:     "1.0.0",
	// Parts of any kind are taken: the script reads the first text and leaves the rest.
	DefaultInputModes:  []string{"*/*"},
	DefaultOutputModes: []string{"text/plain", "application/json", "application/octet-stream"},
	Skills: []a2a.AgentSkill{{
		ID: "script", Name: "Play a script", Description: "Plays a script of statements, pausing for people where it says so.",
		Tags:     []string{"test"},
		Examples: []string{"approve github/create_pull_request; say done", "ask which branch?", "connect github: to open the pull request"},
	}},
}
