package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// says is a model that plays its answers in turn, by how many it has given in the conversation.
type says struct {
	t       testing.TB
	answers []answer
	look    func(r model.Request)     // at each request
	during  func(ctx context.Context) // a call, if anything happens
	deaf    bool                      // to the end of a call's context

	mu   sync.Mutex
	seen []model.Request

	writes func(say func(string)) // as each answer is written
	at     []time.Time
}

type answer struct {
	text    string
	calls   []model.Call
	raw     json.RawMessage
	stop    model.Stop
	err     error
	dropped bool // calls, with the end of the answer
	fails   int  // how often there is err before the answer; default once
}

// calls is an answer that wants calls, each "name {arguments}".
func calls(wanted ...string) answer {
	var a answer
	for i, w := range wanted {
		name, arguments, _ := strings.Cut(w, " ")
		a.calls = append(a.calls, model.Call{ID: fmt.Sprint("c", i), Name: name, Arguments: json.RawMessage(arguments)})
	}
	return a
}

func text(s string) answer { return answer{text: s} }

func (m *says) Stream(ctx context.Context, r model.Request, say func(string)) (*model.Response, error) {
	if m.writes != nil {
		m.writes(say)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	checkPaired(m.t, r.Messages)
	m.look(r)
	m.seen, m.at = append(m.seen, r), append(m.at, time.Now())
	if m.during != nil {
		if m.during(ctx); ctx.Err() != nil && !m.deaf {
			return nil, &model.Error{Kind: model.KindCut, Reason: "the call was given up"} // as adapters do
		}
	}
	n := 0
	for _, msg := range r.Messages {
		if msg.Role == model.RoleAssistant {
			n++
		}
	}
	if n >= len(m.answers) {
		m.t.Errorf("the model was called %d times, want %d", n+1, len(m.answers))
		return nil, &model.Error{Kind: model.KindRefused}
	}
	a := m.answers[n]
	if a.err != nil {
		if m.answers[n].fails--; m.answers[n].fails <= 0 {
			m.answers[n].err = nil
		}
		return nil, a.err
	}
	return &model.Response{
		Message: model.Message{Role: model.RoleAssistant, Text: a.text, Calls: a.calls, Raw: a.raw},
		Stop:    a.stop, Dropped: a.dropped, Usage: model.Usage{Input: 10, Output: 5},
	}, nil
}

// checkPaired holds a transcript to what providers demand.
func checkPaired(t testing.TB, all []model.Message) {
	for i, m := range all {
		var want []string
		for _, c := range m.Calls {
			want = append(want, c.ID)
		}
		if len(want) == 0 {
			continue
		}
		var got []string
		if i+1 < len(all) && all[i+1].Role == model.RoleTool {
			for _, r := range all[i+1].Results {
				got = append(got, r.CallID)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("the model was shown calls %v with results %v", want, got)
		}
	}
}

// last is what the model was told last.
func (m *says) last() model.Message {
	r := m.seen[len(m.seen)-1]
	return r.Messages[len(r.Messages)-1]
}
