// Package tracker is an issue tracker whose tools are an MCP server over HTTP. Local runs show
// agents at work with it; tests count its calls and make it misbehave. Its state is in memory.
package tracker

import (
	"net/http"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/interlude-a2a/interlude/pkg/harness/tool/mcp"
)

// Options say what kind of server a tracker is.
type Options struct {
	Stateful bool   // has sessions, as servers before 2026-07-28
	Token    string // the bearer token that requests need; empty: none
}

// Fault is what goes wrong when a tool is called. The zero value is nothing.
type Fault struct {
	Fail   bool            // the tool answers that it failed, and does nothing
	Lose   bool            // the tool runs, and the connection breaks instead of an answer
	Status int             // the request gets this HTTP status, and the tool does not run
	Wait   <-chan struct{} // the tool runs, and its answer waits for this, or for the caller to go
}

// Tracker is the server. It is an [http.Handler] at any path, and safe for concurrent use.
type Tracker struct {
	mcp  *sdk.Server
	http http.Handler

	mu       sync.Mutex
	token    string
	issues   []issue
	last     int // number of an issue or a pull request
	faults   map[string]Fault
	calls    map[callKey]int
	requests []http.Header // of tool calls
}

type callKey struct{ tool, effect string }

// New returns a tracker with two open issues.
func New(o Options) *Tracker {
	t := &Tracker{
		token:  o.Token,
		issues: seed(), last: 2,
		faults: map[string]Fault{},
		calls:  map[callKey]int{},
	}
	t.mcp = sdk.NewServer(&sdk.Implementation{Name: "tracker", Version: "1.0.0"}, nil)
	t.addTools()
	t.http = sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return t.mcp },
		&sdk.StreamableHTTPOptions{Stateless: !o.Stateful})
	if o.Stateful {
		t.http = onlyBefore2026(t.http)
	}
	return t
}

// Calls is how often a tool ran for an effect; an empty effect stands for all of them. Calls that a
// fault kept from running do not count.
func (t *Tracker) Calls(tool, effect string) (n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k, count := range t.calls {
		if k.tool == tool && (effect == "" || k.effect == effect) {
			n += count
		}
	}
	return n
}

// Effects are the ids of the effects that a tool ran for.
func (t *Tracker) Effects(tool string) (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for k := range t.calls {
		if k.tool == tool {
			ids = append(ids, k.effect)
		}
	}
	return ids
}

// Requests are the headers of the requests that called tools, in order.
func (t *Tracker) Requests() []http.Header {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]http.Header{}, t.requests...)
}

// Break gives a tool a fault from now on.
func (t *Tracker) Break(tool string, f Fault) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.faults[tool] = f
}

// SetToken makes requests need another token from now on.
func (t *Tracker) SetToken(token string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.token = token
}

func (t *Tracker) fault(tool string) Fault {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.faults[tool]
}

// ran counts a call under the effect id that it carries.
func (t *Tracker) ran(tool string, meta sdk.Meta) {
	effect, _ := meta[mcp.MetaEffectID].(string)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[callKey{tool, effect}]++
}
