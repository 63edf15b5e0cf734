package harness

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/policy"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// What the model is told of calls that are not made.
const (
	codeDenied    = "tool.denied" // HARN-03
	codeUnknown   = "tool.unknown"
	codeInvalid   = "tool.invalid"
	codeChanged   = "tool.changed"
	codeNone      = "tool.none"
	codeDown      = "tool.unreachable"
	codeConnected = "tool.not_connected"
	codeExpired   = "tool.expired"
)

// maxFault is how many characters the model is told of what is wrong with its arguments.
const maxFault = 500

// maxCalls is how many calls of one message are planned: each is an effect in the task's record, which
// is bounded. maxUsing is how many the caller is told of.
const (
	maxCalls = 64
	maxUsing = 8
)

// maxRepeats is how often the same call may be made in a row before a person is asked; repeated is
// what they are told.
const (
	maxRepeats = 3
	repeated   = "The agent has made the same call twice just before."
)

// plan decides what becomes of each call of a model's message and freezes it. Nothing is written
// yet: the plan goes into one write, with the asks where nothing is to run.
func (s *slice) plan(names []string, m model.Message) error {
	n := len(s.ledger.steps)
	st := step{Message: m}
	if deep(m.Raw) {
		st.Message.Raw = nil
	}
	for i := range m.Calls {
		wanted := &st.Message.Calls[i]
		wanted.Arguments = jsonOf(wanted.Arguments)
		id := s.run.EffectID(n, i)
		st.Calls = append(st.Calls, id)
		if err := s.planCall(id, st.Calls[:i], names, *wanted); err != nil {
			return err
		}
	}
	s.ledger.steps = append(s.ledger.steps, st)
	if working := s.progress(st); working != "" {
		s.pending.Events = append(s.pending.Events, agent.StatusText(working))
	}
	return s.keep(stepRow(n), st)
}

// planCall plans a call, behind the earlier ones of its message.
func (s *slice) planCall(id string, earlier []string, names []string, wanted model.Call) error {
	c := call{ID: id, CallID: wanted.ID, Call: agent.Call{Tool: wanted.Name, Arguments: canonical(wanted.Arguments)}}
	c.Wanted = agent.CallHash("", wanted.Name, c.Arguments)
	refused, held := result{}, false
	at := slices.Index(names, wanted.Name)
	switch {
	case len(earlier) >= maxCalls:
		refused = result{Code: codeInvalid, Text: fmt.Sprintf("No more than %d calls are made at once.", maxCalls)}
	case at < 0:
		refused = result{Code: codeNone, Text: fmt.Sprintf("There is no tool %.128q.", wanted.Name)}
	default:
		t := s.ledger.pin.Tools[at]
		c.Server, c.Tool, c.ToolHash, c.Class = t.Server, t.Name, t.Hash, s.policy.Class(t)
		refused, held = s.judge(t, &c, earlier)
	}
	c.Hash = agent.CallHash(c.Server, c.Tool, c.Arguments)
	s.ledger.calls[id] = c
	if err := s.keep(callRows+id, c); err != nil {
		return err
	}
	switch {
	case refused.Code != "":
		return s.settled(id, refused)
	case c.Server == definition.Builtin:
		return nil
	}
	e := task.Effect{ID: id, Class: c.Class, State: task.EffectApproved, Server: c.Server, Tool: c.Tool}
	if held {
		e.State = task.EffectHeld
	}
	s.pending.Plan = append(s.pending.Plan, e)
	return nil
}

// judge holds a call against its schema, then against the policy: a person is never asked about a
// call that could not be made.
func (s *slice) judge(t tool.Tool, c *call, earlier []string) (refused result, held bool) {
	if err := s.schemas.validate(t.Schema, c.Arguments); err != nil {
		return result{Code: codeInvalid, Text: fmt.Sprintf("The arguments are not what the tool takes: %.*s", maxFault, err)}, false
	}
	if t.Server == definition.Builtin && s.tooLong(c, earlier) {
		return result{Code: codeInvalid, Text: "The text is too long to ask a person."}, false
	}
	c.Arguments = withKey(c.Arguments, s.policy.KeyArgument(t), c.ID)
	switch s.policy.Decide(t) {
	case policy.Deny:
		return result{Code: codeDenied, Text: "This agent may not use the tool."}, false
	case policy.Ask:
		held = true
	}
	denied, inRow := s.ledger.repeats(c.Wanted, earlier)
	if denied >= 2 {
		return result{Code: codeDenied, Text: notAgain}, false
	}
	if inRow >= maxRepeats-1 && t.Server != definition.Builtin {
		held, c.Reason = true, repeated
	}
	return result{}, held
}

// repeats counts how often the same call was denied in this turn, and how often it was made in a row
// just before: by the steps that had it, and earlier in its own message.
func (l *ledger) repeats(wanted string, earlier []string) (denied, inRow int) {
	count := func(ids []string) (same int) {
		for _, id := range ids {
			if l.calls[id].Wanted != wanted {
				continue
			}
			if same++; l.results[id].Code == codeDenied {
				denied++
			}
		}
		return same
	}
	for _, st := range l.steps {
		same := count(st.Calls)
		if inRow += same; same == 0 {
			inRow = 0
		}
	}
	return denied, inRow + count(earlier)
}

// withKey puts an effect's id into the argument that the tool knows it by.
func withKey(arguments json.RawMessage, name, id string) json.RawMessage {
	if name == "" {
		return arguments
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(arguments, &object) != nil || object == nil {
		return arguments
	}
	key, _ := json.Marshal(id)
	object[name] = key
	b, err := json.Marshal(object)
	if err != nil {
		return arguments
	}
	return b
}

// jsonOf is what a model wrote as compact JSON; what is none, or deep, becomes a string of it, and
// nothing an empty object.
func jsonOf(raw json.RawMessage) json.RawMessage {
	if len(bytes.TrimSpace(raw)) == 0 {
		return json.RawMessage("{}")
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) == nil && !deep(raw) {
		return b.Bytes()
	}
	text, _ := json.Marshal(string(raw))
	return text
}

// deep reports whether JSON nests deeper than callers' may. A row could be written of it that nobody can
// read.
func deep(raw json.RawMessage) bool {
	d := json.NewDecoder(bytes.NewReader(raw))
	for level := 0; ; {
		switch t, err := d.Token(); {
		case err != nil:
			return false
		case t == json.Delim('{'), t == json.Delim('['):
			if level++; level > a2a.MaxDepth {
				return true
			}
		case t == json.Delim('}'), t == json.Delim(']'):
			level--
		}
	}
}

// canonical is JSON as it is however it was spelled: what is checked, shown and sent can't be read in
// two ways, as a name that stands there twice could be.
func canonical(raw json.RawMessage) json.RawMessage {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return raw
	}
	b, err := a2a.Marshal(v)
	if err != nil {
		return raw
	}
	return b
}

// progress tells the caller which tools work, never with what.
func (s *slice) progress(st step) string {
	var using []string
	for _, id := range st.Calls {
		c := s.ledger.calls[id]
		if _, refused := s.ledger.results[id]; !refused && c.Server != definition.Builtin {
			using = append(using, c.Server+" / "+c.Tool)
		}
	}
	switch n := len(using); {
	case n == 0:
		return ""
	case n > maxUsing:
		return fmt.Sprintf("Using %s and %d more", strings.Join(using[:maxUsing], ", "), n-maxUsing)
	}
	return "Using " + strings.Join(using, ", ")
}

// settled keeps what a call came to, as a decided row.
func (s *slice) settled(id string, r result) error {
	r = r.withCode()
	s.ledger.results[id] = r
	return s.keep(resultRows+id, r)
}

// withCode puts the code of what the harness says by itself before its text.
func (r result) withCode() result {
	if r.Code != "" {
		r.Text, r.Error = r.Code+": "+r.Text, true
	}
	return r
}
