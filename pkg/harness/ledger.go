package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// The ledger's rows.
const (
	pinRow     = "pin"          // what the turn began with
	spentRow   = "spent"        // what it has used so far
	stepRows   = "step/"        // a model's message, by number
	callRows   = agent.CallRows // a call as it was frozen, by effect id
	resultRows = "result/"      // what it came to, by effect id
	askRows    = "ask/"         // what a person was asked about it, by effect id
	unsureRows = "unsure/"      // that it may have had its effect, by effect id
	tokenRows  = "token/"       // what connection it, or a server, was found to need, by effect id or server
)

// pin is what a turn keeps for as long as it lives.
type pin struct {
	Definition definition.Definition `json:"definition"`
	Model      string                `json:"model"`
	Tools      []tool.Tool           `json:"tools"`
	Begun      bool                  `json:"begun"` // all servers have said what tools they have
}

// spent is what a turn has used.
type spent struct {
	Worked   time.Duration `json:"worked"` // waits not counted
	Tokens   int           `json:"tokens"`
	Failures int           `json:"failures"` // of model calls, since the last that went well
}

// step is one model call's answer.
type step struct {
	Message model.Message `json:"message"`
	Calls   []string      `json:"calls,omitempty"` // effect ids, in the message's order
}

// call is a call as it was planned. Nothing of it ever changes.
type call struct {
	agent.Call
	ID       string           `json:"id"` // the effect's
	CallID   string           `json:"callId"`
	Wanted   string           `json:"wanted"` // the hash of the call as the model wrote it
	ToolHash string           `json:"toolHash,omitempty"`
	Class    task.EffectClass `json:"class,omitempty"`
}

// result is what a call came to, as the model is told.
type result struct {
	Text  string `json:"text"`
	Error bool   `json:"error,omitempty"`
	Code  string `json:"code,omitempty"` // of what the harness says by itself, such as tool.denied
}

// ledger is a turn as its journal tells it.
type ledger struct {
	pin     *pin // nil: nothing is kept yet
	spent   spent
	steps   []step
	calls   map[string]call
	results map[string]result
	asked   map[string]asked // by effect id
	unsure  map[string]bool  // by effect id
	tokens  map[string]asked // by effect id, or by server
}

// asked is an interaction that was raised.
type asked struct {
	ID    string `json:"id"`
	Round int    `json:"round,omitempty"`
}

// readLedger reads the whole journal of a run.
func readLedger(ctx context.Context, r agent.Run) (*ledger, error) {
	l := &ledger{calls: map[string]call{}, results: map[string]result{}, asked: map[string]asked{}, unsure: map[string]bool{}, tokens: map[string]asked{}}
	for row, err := range r.Journal(ctx, "") {
		if err != nil {
			return nil, err
		}
		if err := l.read(row); err != nil {
			return nil, fmt.Errorf("harness: read row %s: %w", row.Name, err)
		}
	}
	return l, nil
}

// read takes one row up. Rows come by name, so steps come in order.
func (l *ledger) read(row task.Row) error {
	kind, id, _ := strings.Cut(row.Name, "/")
	switch kind + "/" {
	case stepRows:
		var st step
		err := json.Unmarshal(row.Value, &st)
		l.steps = append(l.steps, st)
		return err
	case callRows:
		return readInto(l.calls, id, row.Value)
	case resultRows:
		return readInto(l.results, id, row.Value)
	case askRows:
		return readInto(l.asked, id, row.Value)
	case unsureRows:
		return readInto(l.unsure, id, row.Value)
	case tokenRows:
		return readInto(l.tokens, id, row.Value)
	}
	switch row.Name {
	case pinRow:
		l.pin = new(pin)
		return json.Unmarshal(row.Value, l.pin)
	case spentRow:
		return json.Unmarshal(row.Value, &l.spent)
	}
	return fmt.Errorf("no such row")
}

func readInto[T any](m map[string]T, id string, b []byte) error {
	var v T
	err := json.Unmarshal(b, &v)
	m[id] = v
	return err
}

// row is a row of the ledger.
func row(name string, v any) (task.Row, error) {
	b, err := a2a.Marshal(v)
	if err != nil {
		return task.Row{}, fmt.Errorf("harness: write row %s: %w", name, err)
	}
	return task.Row{Name: name, Value: b}, nil
}

func stepRow(n int) string { return fmt.Sprintf("%s%06d", stepRows, n) }

// open are the calls of the last step that have no result yet, in its order.
func (l *ledger) open() (ids []string) {
	if len(l.steps) == 0 {
		return nil
	}
	for _, id := range l.steps[len(l.steps)-1].Calls {
		if _, ok := l.results[id]; !ok {
			ids = append(ids, id)
		}
	}
	return ids
}
