package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
)

// CallRows are the rows in which an agent freezes its calls, by effect id. Who may approve a held
// call may read it there: nothing else that is told of it has its arguments.
const CallRows = "call/"

// Call is a call as it is frozen: what a person approves, and what is sent. A row may hold more.
type Call struct {
	Server    string          `json:"server"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	Hash      string          `json:"hash"` // by [CallHash]
	Reason    string          `json:"reason,omitempty"`
}

// CallHash is what makes two calls the same, in hex.
func CallHash(server, tool string, arguments json.RawMessage) string {
	h := sha256.New()
	for _, part := range []string{server, tool, string(arguments)} {
		fmt.Fprintf(h, "%d\n%s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil))
}
