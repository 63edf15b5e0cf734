package harness_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/harness"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/local"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/memory"
	"github.com/interlude-a2a/interlude/pkg/task/watch"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// tools is a tool server that counts.
type tools struct {
	list  []tool.Tool
	need  error   // of List
	needs []error // of List, in turn, where there are some

	sent func(c tool.Call) // looks at each call as it goes out

	mu     sync.Mutex
	listed []time.Time
	open   int // connections
	made   []tool.Call
	call   func(ctx context.Context, c tool.Call, n int) tool.Outcome // n: how often this effect was called
}

func (s *tools) List(context.Context) ([]tool.Tool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listed = append(s.listed, time.Now())
	if len(s.needs) > 0 {
		return nil, s.needs[(len(s.listed)-1)%len(s.needs)]
	}
	return s.list, s.need
}

func (s *tools) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	return nil
}

func (s *tools) Call(ctx context.Context, c tool.Call) tool.Outcome {
	s.sent(c)
	s.mu.Lock()
	s.made = append(s.made, c)
	n := 0
	for _, m := range s.made {
		if m.EffectID == c.EffectID {
			n++
		}
	}
	call := s.call
	s.mu.Unlock()
	if call == nil {
		return tool.Answered{Text: "did " + c.Tool}
	}
	return call(ctx, c, n)
}

func (s *tools) names() (names []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.made {
		names = append(names, c.Tool)
	}
	return names
}

// world is a system whose agent is the harness.
type world struct {
	*testing.T
	store  *watch.Store
	queue  *local.Queue
	server *server.Server
	model  *says
	tools  *tools
	log    lines                         // of the server
	denied []string                      // by the deployment
	since  []time.Time                   // of the tokens that servers were reached with
	down   error                         // of the next attempt to reach a server
	tamper func(name, row string) string // with the journal that runs read, if anybody does
	who    access.Principal              // whose calls are made
	work   func()                        // starts the workers
	stop   func()                        // ends them
	n      int

	working sync.Mutex // guards stop

	worker *turn.Worker
	agent  deployed
	behind time.Duration // of the worker's timers, behind its clock
}

// deployed is an agent that another can take the place of.
type deployed struct{ agent.Agent }

// deploy puts an agent of another file in the place of the one that runs.
func (w *world) deploy(file string) {
	w.Helper()
	d, err := definition.Parse([]byte(file))
	if err != nil {
		w.Fatal(err)
	}
	w.agent.Agent, err = harness.New(harness.Options{
		Definition: d, Denied: w.denied, Log: slog.New(slog.DiscardHandler),
		Models: func(string) (model.Model, string, error) { return w.model, "m", nil },
		Connect: func(_ string, _ definition.Server, _ access.Principal, since time.Time) (tool.Server, error) {
			w.since = append(w.since, since)
			if err := w.down; err != nil {
				w.down = nil
				return nil, err
			}
			w.tools.mu.Lock()
			defer w.tools.mu.Unlock()
			w.tools.open++
			return w.tools, nil
		},
	})
	if err != nil {
		w.Fatal(err)
	}
}

// clock is the worker's.
func (w *world) clock() time.Time { return time.Now().Add(w.behind) }

var (
	alice = access.Principal{Subject: "alice"}
	bob   = access.Principal{Subject: "bob"}
)

const schema = `{"type":"object","properties":{"title":{"type":"string"}},"additionalProperties":false}`

func newWorld(t *testing.T, front string, answers ...answer) *world {
	t.Helper()
	return newSlicedWorld(t, 0, front, answers...)
}

// newSlicedWorld is a world whose slices take so long.
func newSlicedWorld(t *testing.T, slice time.Duration, front string, answers ...answer) *world {
	t.Helper()
	w := &world{T: t, who: alice, denied: []string{"none/none"}, model: &says{t: t, answers: answers}, tools: &tools{list: []tool.Tool{
		{Server: "hub", Name: "get", ReadOnly: true, Schema: json.RawMessage(schema), Hash: "h1"},
		{Server: "hub", Name: "label", Idempotent: true, Schema: json.RawMessage(schema), Hash: "h2"},
		{Server: "hub", Name: "make", Schema: json.RawMessage(schema), Hash: "h3"},
		{Server: "hub", Name: "wipe", Schema: json.RawMessage(schema), Hash: "h4"},
	}}}
	w.store = watch.New(tampered{memory.New(memory.Options{}), w})
	w.tools.sent, w.model.look = w.checkSent, w.checkWritten
	w.deploy("---\nname: coder\ndescription: d\nmcpServers:\n  hub: { url: \"https://hub.example\", trusted: true }\n" + front + "\n---\nBe careful.")
	q := local.New(local.Options{})
	w.queue = q
	var err error
	w.worker, err = turn.New(turn.Options{Store: w.store, Queue: q, Agent: &w.agent, Slice: slice, Now: w.clock, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	w.server, err = server.New(server.Options{
		Store: w.store, Queue: q, Watcher: w.store, Card: a2a.AgentCard{Name: "coder", Capabilities: a2a.AgentCapabilities{Streaming: true}, DefaultInputModes: []string{"text/plain"}}, Secret: server.Static(make([]byte, 32)),
		Log: slog.New(slog.NewTextHandler(&w.log, nil)), Journal: w.store.Journal,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.work = func() {
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { queue.Run(ctx, q, 2, time.Minute, w.worker.Handle) })
		w.stop = func() { cancel(); wg.Wait() }
	}
	w.work()
	t.Cleanup(func() {
		w.working.Lock()
		defer w.working.Unlock()
		w.stop()
		if w.tools.open != 0 {
			t.Errorf("%d connections were left open", w.tools.open)
		}
	})
	return w
}

// checkSent holds a call that goes out to the record: its effect is sent by then, or approved if it
// only reads. It looks at every call of every test (R6 of what goes wrong).
func (w *world) checkSent(c tool.Call) {
	for _, r := range w.records() {
		e, ok := r.Effects[c.EffectID]
		if ok && (e.State == task.EffectSent || e.Class == task.ClassRead && e.State == task.EffectApproved) {
			return
		}
	}
	w.Errorf("a call of %s goes out whose effect is not approved", c.Tool)
}

// checkWritten holds what the model is shown to the journal: every result is written by then.
func (w *world) checkWritten(r model.Request) {
	written := map[string]bool{}
	for _, rec := range w.records() {
		for row, err := range w.store.Journal(context.Background(), rec.Key, task.AgentRows+"result/") {
			var res struct{ Text string }
			if err != nil || json.Unmarshal(row.Value, &res) != nil {
				w.Errorf("row %s: %s, %v", row.Name, row.Value, err)
			}
			written[res.Text] = true
		}
	}
	for _, m := range r.Messages {
		for _, res := range m.Results {
			if !written[res.Text] {
				w.Errorf("the model is shown %q, which is not written", res.Text)
			}
		}
	}
}

// tampered is a store whose journal somebody changes behind the back of runs.
type tampered struct {
	task.Store
	w *world
}

func (s tampered) Journal(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
	return func(yield func(task.Row, error) bool) {
		for row, err := range s.Store.Journal(ctx, k, prefix) {
			if s.w.tamper != nil {
				row.Value = []byte(s.w.tamper(row.Name, string(row.Value)))
			}
			if !yield(row, err) {
				return
			}
		}
	}
}

// call makes one call as w.who.
func (w *world) call(method string, request any) server.Outcome {
	w.Helper()
	params, err := a2a.Marshal(request)
	if err != nil {
		w.Fatal(err)
	}
	return w.server.Call(w.Context(), method, params, server.CallContext{Principal: w.who, Extensions: []string{interaction.URI}})
}

// deliver sends a message, under an id of its own unless it has one.
func (w *world) deliver(m a2a.Message, c a2a.SendMessageConfiguration) server.Outcome {
	w.Helper()
	w.n++
	if m.MessageID == "" {
		m.MessageID = fmt.Sprint("m-", w.n)
	}
	m.Role = a2a.RoleUser
	return w.call("SendMessage", a2a.SendMessageRequest{Message: m, Configuration: c})
}

// send sends a message and waits until the task rests.
func (w *world) send(m a2a.Message) a2a.Task {
	w.Helper()
	out := w.deliver(m, a2a.SendMessageConfiguration{})
	if out.Err != nil {
		w.Fatalf("send: %v", out.Err)
	}
	return *out.Result.(a2a.SendMessageResponse).Task
}

// refused sends a message that must be refused with a code, and change nothing.
func (w *world) refused(m a2a.Message, code int) {
	w.Helper()
	before := w.records()
	if out := w.deliver(m, a2a.SendMessageConfiguration{}); out.Err == nil || out.Err.Code != code {
		w.Errorf("%v of %q: got %+v, %v, want %d", m.Parts, m.Metadata[interaction.URI], out.Result, out.Err, code)
	}
	if diff := cmp.Diff(before, w.records()); diff != "" {
		w.Errorf("what was refused changed the record (-before +after):\n%s", diff)
	}
}

func (w *world) ask(words string) a2a.Task {
	w.Helper()
	return w.send(a2a.Message{Parts: []a2a.Part{{Content: a2a.Text(words)}}})
}

// answer answers what a task asks, with a field such as "approved":true.
func (w *world) answer(t a2a.Task, field string, words ...string) a2a.Task {
	w.Helper()
	return w.send(reply(t, asks(t).InteractionID, field, words...))
}

// reply is an answer to an interaction of a task.
func reply(t a2a.Task, id, field string, words ...string) a2a.Message {
	m := a2a.Message{
		TaskID: t.ID, Extensions: []string{interaction.URI}, Parts: []a2a.Part{{Content: a2a.Data("{}")}},
		Metadata: a2a.Metadata{interaction.URI: json.RawMessage(`{"interactionId":"` + id + `",` + field + `}`)},
	}
	for _, s := range words {
		m.Parts = append(m.Parts, a2a.Part{Content: a2a.Text(s)})
	}
	return m
}

// asked is the interaction on a task's status.
type asked struct {
	InteractionID, Kind, Prompt string
	Detail                      map[string]string
}

func asks(t a2a.Task) (a asked) {
	if t.Status.Message != nil {
		json.Unmarshal(t.Status.Message.Metadata[interaction.URI], &a)
	}
	return a
}

func (w *world) want(t a2a.Task, state a2a.TaskState) {
	w.Helper()
	if t.Status.State != state {
		w.Fatalf("state %s (%+v), want %s", t.Status.State, t.Status.Message, state)
	}
	if r := w.record(t); state == completed && len(r.Effects) != 0 {
		w.Errorf("the turn is over, and its record has %+v", r.Effects)
	}
}

func (w *world) record(t a2a.Task) *task.Record {
	w.Helper()
	for _, r := range w.records() {
		if r.ID == t.ID {
			return r
		}
	}
	w.Fatalf("there is no task %s", t.ID)
	return nil
}

// records are those of all of alice's tasks.
func (w *world) records() (all []*task.Record) {
	w.Helper()
	page, err := w.store.List(context.Background(), task.Scope{Owner: alice.Subject}, task.Query{Limit: 100})
	if err != nil {
		w.Error(err)
	}
	for _, t := range page.Tasks {
		r, _, err := w.store.Read(context.Background(), t.Key, task.Latest)
		if err != nil {
			w.Error(err)
			continue
		}
		all = append(all, r)
	}
	return all
}

// lines is a log.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// gets are n calls that only read, no two of them the same.
func gets(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf(`hub__get {"title":"%d"}`, i))
	}
	return all
}
