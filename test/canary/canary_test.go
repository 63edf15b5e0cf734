package canary

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/interlude-a2a/interlude/infra/local/system"
	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/harness/folder"
	"github.com/interlude-a2a/interlude/pkg/netguard"
	"github.com/interlude-a2a/interlude/pkg/task/sqlite"
)

const (
	argument = "canary-in-the-arguments"
	token    = "canary-in-the-token"

	interactions = "https://docs.nylorun.com/a2a/interactions/v1"
)

const agentFile = `---
name: teller
description: Tells nothing.
mcpServers: { tracker: { url: "https://tracker.example", connection: hub, trusted: true } }
---
Tell nothing.`

const scriptFile = `
- when: denied
  steps:
    - calls: [{ tool: tracker__create_issue, arguments: { title: ` + argument + ` } }]
    - say: As you wish.
- when: lost
  steps:
    - calls: [{ tool: tracker__create_issue, arguments: { title: ` + argument + ` } }]
    - say: Done.
- when: wrong
  steps:
    - calls: [{ tool: tracker__create_issue, arguments: { title: 7, other: ` + argument + ` } }]
    - say: Oh.
`

// log is everything that the process logs.
type log struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *log) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(b)
}

func (l *log) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// A call that is held and denied, one whose answer is lost, one that could not be made, and a token
// that the server refuses: all that is answered, logged and kept is searched.
func TestCanary(t *testing.T) {
	var logged log
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewJSONHandler(&logged, &slog.HandlerOptions{Level: slog.LevelDebug})))
	t.Cleanup(func() { slog.SetDefault(before) })
	hub := tracker.New(tracker.Options{Token: token})
	data := t.TempDir()
	url, stop := serve(t, hub, data)
	var told strings.Builder

	held := send(t, &told, url, words("denied"))
	send(t, &told, url, held.answer(`"approved":false`))

	hub.Break("create_issue", tracker.Fault{Lose: true})
	lost := send(t, &told, url, words("lost"))
	unsure := send(t, &told, url, lost.answer(`"approved":true`))
	send(t, &told, url, unsure.answer(`"approved":false`))

	send(t, &told, url, words("wrong"))
	hub.SetToken("another")
	send(t, &told, url, words("denied again"))
	hub.SetToken(token)
	call(t, &told, http.MethodPost, url+"/message:stream", `{"message":`+words("denied in a stream")+`}`)
	call(t, &told, http.MethodPost, url+"/message:stream", `{"message":`+words("wrong in a stream")+`}`)
	get(t, &told, url+"/tasks?includeArtifacts=true&historyLength=50")
	get(t, &told, url+"/tasks/"+held.ID+"?historyLength=50")
	get(t, &told, url+"/tasks/nobody's")
	stop()

	for what, text := range map[string]string{"an answer": told.String(), "the log": logged.String()} {
		for _, canary := range []string{argument, token} {
			if at := strings.Index(text, canary); at >= 0 {
				t.Errorf("%s tells %s: …%s", what, canary, text[max(0, at-300):at+len(canary)])
			}
		}
	}
	if !strings.Contains(told.String(), "data: {\"statusUpdate\"") {
		t.Errorf("nothing was streamed: %s", told.String())
	}
	if !strings.Contains(told.String(), "Approve tracker / create_issue?") || !strings.Contains(told.String(), "may already have run") {
		t.Errorf("not all was asked: %s", told.String())
	}
	searchTables(t, filepath.Join(data, "interlude.db"))
	searchFiles(t, data)
}

// serve runs the whole system over a data folder.
func serve(t *testing.T, hub *tracker.Tracker, data string) (url string, stop func()) {
	t.Helper()
	tools := httptest.NewServer(hub)
	t.Cleanup(tools.Close)
	f, err := folder.Open(fstest.MapFS{"AGENT.md": {Data: []byte(agentFile)}, "script.yaml": {Data: []byte(scriptFile)}}, folder.Options{
		Guard:   netguard.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		Servers: map[string]string{"tracker": tools.URL},
		Token:   func(context.Context, access.Principal, string, time.Time) (string, error) { return token, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	sys, err := system.Open(system.Options{Agent: f.Agent, Card: f.Definition.AgentCard(), URL: "http://localhost", Data: data})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { sys.Run(ctx) })
	s := httptest.NewServer(sys)
	return s.URL, func() { s.Close(); cancel(); wg.Wait(); sys.Close() }
}

// searchTables finds the arguments in the journal, and nothing anywhere else.
func searchTables(t *testing.T, path string) {
	t.Helper()
	db, err := sqlite.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(`SELECT name FROM sqlite_master WHERE type = 'table'`)
	if err != nil {
		t.Fatal(err)
	}
	var tables []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	rows.Close()
	for _, table := range tables {
		arguments, tokens := count(t, db.Query, table)
		if tokens > 0 || arguments > 0 != (table == "journal") {
			t.Errorf("table %s has %d rows with arguments and %d with tokens", table, arguments, tokens)
		}
	}
}

func searchFiles(t *testing.T, data string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(data, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(b, []byte(token)) {
			t.Errorf("%s has a token", filepath.Base(f))
		}
	}
}

// task is what the test reads of one.
type task struct {
	ID     string
	Status struct {
		Message struct {
			Metadata map[string]struct{ InteractionID string }
		}
	}
}

func words(text string) string {
	return fmt.Sprintf(`{"messageId":%q,"role":"ROLE_USER","parts":[{"text":%q}]}`, text, text)
}

func (t task) answer(field string) string {
	id := t.Status.Message.Metadata[interactions].InteractionID
	return `{"messageId":"answer:` + id + `","taskId":"` + t.ID + `","role":"ROLE_USER","parts":[{"data":{}}],"extensions":["` + interactions +
		`"],"metadata":{"` + interactions + `":{"interactionId":"` + id + `",` + field + `}}}`
}

func send(t *testing.T, told io.Writer, url, message string) task {
	t.Helper()
	b := call(t, told, http.MethodPost, url+"/message:send", `{"message":`+message+`,"configuration":{"historyLength":50}}`)
	var out struct{ Task task }
	if err := json.Unmarshal(b, &out); err != nil || out.Task.ID == "" {
		t.Fatalf("got %s", b)
	}
	return out.Task
}

func get(t *testing.T, told io.Writer, url string) { call(t, told, http.MethodGet, url, "") }

func call(t *testing.T, told io.Writer, method, url, body string) []byte {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"A2A-Version": "1.0", "Content-Type": "application/json", "A2A-Extensions": interactions} {
		r.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	told.Write(b)
	return b
}
