package transcript

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/encoding/protojson"

	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/test/schema"
)

// length is the calls of a script, and seeds how many are played: SEEDS plays more.
const length = 60

func seeds(t *testing.T) uint64 {
	n, err := strconv.ParseUint(os.Getenv("SEEDS"), 10, 64)
	if err != nil && os.Getenv("SEEDS") != "" {
		t.Fatal(err)
	}
	return max(n, 15)
}

// SPEC-16, ERR-01 to ERR-04, INT-10, SPEC-02: one script by three bindings is one transcript.
func TestTranscripts(t *testing.T) {
	t.Parallel()
	for seed := range seeds(t) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			calls := script(seed, length)
			rpc := play(t, "JSONRPC", calls)
			for _, other := range []string{"HTTP+JSON", "GRPC"} {
				for i, got := range play(t, other, calls) {
					want := rpc[i]
					if other == "GRPC" {
						want.Results, got.Results = want.proto, got.proto
					}
					if d := cmp.Diff(want.entry, got.entry); d != "" {
						t.Fatalf("call %d, %s\nby JSONRPC (-) and %s (+):\n%s", i, calls[i], other, d)
					}
				}
			}
		})
	}
}

// entry is a call's answer in a transcript: with ids replaced by their place, and times blanked.
type entry struct {
	Results   []any // as their JSON was
	Fault     *fault
	Activated string
}

type played struct {
	entry
	proto []any // the results as the proto has them
}

// player is a transcript that is being written.
type player struct {
	t      *testing.T
	system system
	by     caller
	tasks  []task
	token  string
	places map[string]string
}

type task struct{ id, owner string }

// play plays calls by a binding, in time of its own.
func play(t *testing.T, name string, calls []call) (all []played) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := &player{t: t, system: newSystem(t), by: callers[name], places: map[string]string{}}
		for i, c := range calls {
			if all = append(all, p.call(c)); t.Failed() {
				t.Fatalf("call %d by %s: %s", i, name, c)
			}
			// Turns come to rest, but for the longest; no two in the same instant, which ids would order.
			time.Sleep(3*time.Second + time.Duration(i*i)*time.Millisecond)
		}
	})
	return all
}

// call makes a call and takes down its answer.
func (p *player) call(c call) played {
	p.t.Helper()
	c.Params = p.resolve(c.Params)
	got := p.by(p.t, p.system, c)
	var out played
	for i, raw := range got.results {
		_, m := schema.Messages(c.Method)
		if err := schema.Check(raw, m); err != nil {
			p.t.Errorf("event %d of %s: %v: %s", i, c.Method, err, raw)
		}
		p.mayKnow(c, raw)
		p.note(c, raw)
		again, err := protojson.Marshal(m)
		if err != nil {
			p.t.Fatal(err)
		}
		out.Results = append(out.Results, p.placed(raw))
		out.proto = append(out.proto, p.placed(again))
	}
	if out.Activated = got.activated; got.fault != nil {
		out.Fault = got.fault
		for _, name := range []string{"interactionId", "taskId"} {
			if id := out.Fault.Metadata[name]; id != "" {
				out.Fault.Metadata[name] = p.place(id)
			}
		}
		slices.SortFunc(out.Fault.Violations, func(a, b violation) int { return strings.Compare(a.Field, b.Field) })
	}
	return out
}

// mayKnow checks that only who activated the extension sees its URI, but on the card. A message that
// names it activates it too (INT-01).
func (p *player) mayKnow(c call, raw []byte) {
	p.t.Helper()
	message, _ := c.Params["message"].(map[string]any)
	activated := message["extensions"] != nil || strings.Contains(c.Headers["A2A-Extensions"], interaction.URI)
	if !activated && c.Method != "GetExtendedAgentCard" && strings.Contains(string(raw), interaction.URI) {
		p.t.Errorf("%s shows the extension to who did not activate it: %s", c.Method, raw)
	}
}

// note keeps what later calls name: the tasks that were started and the last page token.
func (p *player) note(c call, raw []byte) {
	p.t.Helper()
	var result struct {
		Task          *struct{ ID string }
		NextPageToken string
	}
	if err := json.Unmarshal(raw, &result); err != nil {
		p.t.Fatal(err)
	}
	if result.NextPageToken != "" {
		p.token = result.NextPageToken
	}
	if result.Task == nil || slices.ContainsFunc(p.tasks, func(t task) bool { return t.id == result.Task.ID }) {
		return
	}
	p.tasks = append(p.tasks, task{result.Task.ID, c.Headers["Authorization"]})
}

var reference = regexp.MustCompile(`\{(task|open) (\d+)\}|\{token\}`)

// resolve replaces what parameters refer to.
func (p *player) resolve(params map[string]any) map[string]any {
	p.t.Helper()
	raw, err := json.Marshal(params)
	if err != nil {
		p.t.Fatal(err)
	}
	raw = reference.ReplaceAllFunc(raw, func(ref []byte) []byte {
		m := reference.FindSubmatch(ref)
		if m[1] == nil {
			return []byte(p.token)
		}
		if len(p.tasks) == 0 {
			return []byte("t1.none")
		}
		n, _ := strconv.Atoi(string(m[2]))
		named := p.tasks[n%len(p.tasks)]
		if string(m[1]) == "task" {
			return []byte(named.id)
		}
		return []byte(p.open(named))
	})
	var out map[string]any
	if err := json.Unmarshal(raw, &out); err != nil {
		p.t.Fatal(err)
	}
	return out
}

// open is the interaction that a task waits for.
func (p *player) open(of task) string {
	p.t.Helper()
	got := byJSONRPC(p.t, p.system, call{"GetTask", map[string]any{"id": of.id},
		map[string]string{"Authorization": of.owner, "A2A-Version": "1.0", "A2A-Extensions": interaction.URI}})
	var now struct {
		Status struct {
			Message struct {
				Metadata map[string]struct{ InteractionID string }
			}
		}
	}
	if err := json.Unmarshal(got.results[0], &now); err != nil {
		p.t.Fatal(err)
	}
	if id := now.Status.Message.Metadata[interaction.URI].InteractionID; id != "" {
		return id
	}
	return "eff_none"
}

var ids = []string{"id", "taskId", "messageId", "contextId", "artifactId", "interactionId", "nextPageToken"}

// placed is JSON with its ids replaced and its times blanked.
func (p *player) placed(raw []byte) any {
	p.t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		p.t.Fatal(err)
	}
	return p.replaced(v)
}

func (p *player) replaced(v any) any {
	switch v := v.(type) {
	case string:
		if strings.HasPrefix(v, "t1.") { // a task that a message refers to
			return p.place(v)
		}
	case []any:
		for i := range v {
			v[i] = p.replaced(v[i])
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names) // places are given in one order
		for _, name := range names {
			s, ok := v[name].(string)
			switch {
			case ok && name == "timestamp":
				v[name] = "time"
			case ok && slices.Contains(ids, name):
				v[name] = p.place(s)
			default:
				v[name] = p.replaced(v[name])
			}
		}
	}
	return v
}

// place names an id by its place among those seen.
func (p *player) place(id string) string {
	if id == "" {
		return ""
	}
	if _, seen := p.places[id]; !seen {
		p.places[id] = "id " + strconv.Itoa(len(p.places))
	}
	return p.places[id]
}
