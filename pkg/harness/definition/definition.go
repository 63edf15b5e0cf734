// Package definition reads agents' files: AGENT.md, YAML front matter and instructions (HARN-06).
//
// It is strict: what it does not know, what is given twice and what looks like a secret is an
// error that names the line and, for a key, the nearest valid one. Model endpoints and secrets
// are a deployment's own and never stand in a file. The hash of a file is its version: a turn
// keeps the text it began with.
package definition

import "time"

// MaxSize is the most bytes of a file.
const MaxSize = 64 << 10

// Definition is an agent as its file describes it.
type Definition struct {
	Name         string // [a-z0-9-]{1,64}
	Description  string // at most 1024 characters
	Version      string // the card's; default 1.0.0
	Model        string // <endpoint>/<model> or an alias of the deployment; empty: its default
	Instructions string // the body
	Servers      map[string]Server
	Permissions  Permissions
	Effects      map[string]Effect // by server/tool pattern
	Loop         Loop
	Skills       []string // names of folders beside the file, each with a SKILL.md
	Card         Card
	Metadata     map[string]any

	Hash string // SHA-256 of the file and its skills, in hex
}

// Server is an MCP server over streamable HTTP.
type Server struct {
	URL        string
	Connection string        // names the credential that supplies its bearer token; empty: none
	Trusted    bool          // its tools' annotations count
	Tools      []string      // patterns of the tools that are offered; none: all
	Timeout    time.Duration // of a call; default 60 s, at most 120 s
	Protocol   string        // pins the protocol's version; empty: negotiated
}

// Permissions are patterns server/tool: deny before ask before allow before the default.
type Permissions struct {
	Allow, Ask, Deny []string
	Default          string // ask or deny; default ask
}

// Effect says what sending a call twice would do, over what annotations say.
type Effect struct {
	Class string // read, idempotent or write
	Key   string // argument that carries the effect's id; empty: only _meta does
}

// Loop bounds a turn.
type Loop struct {
	MaxSteps        int           // model calls; default 25
	MaxOutputTokens int           // of one; default 4096
	TurnTimeout     time.Duration // working time, waits not counted; default 30 min
	ApprovalTTL     time.Duration // after which an interaction expires, at least 1 min; zero: never
	Questions       bool          // the built-in ask_user; default true
	Connections     bool          // the built-in request_connection; default false (CONN-01)
	MaxTokens       int           // that the turn's model calls may use together; zero: no bound
}

// The built-in tools, of the server [Builtin]. They ask a person and call nobody.
const (
	AskUser           = "ask_user"           // HARN-04
	RequestConnection = "request_connection" // HARN-05, CONN-01
)

// Builtins are the names of the built-in tools that are switched on.
func (l Loop) Builtins() (names []string) {
	if l.Questions {
		names = append(names, AskUser)
	}
	if l.Connections {
		names = append(names, RequestConnection)
	}
	return names
}

// Card is the skill that the agent card tells of.
type Card struct {
	Tags     []string
	Examples []string
}
