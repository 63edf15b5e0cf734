package folder

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/model/script"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

const agentFile = "---\nname: a\ndescription: Does it.\ncard: { tags: [x], examples: [\"Do it\"] }\n---\nDo it."

func TestOpen(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{"AGENT.md": {Data: []byte(agentFile)}, "script.yaml": {Data: []byte("- steps: [{ say: hi }]")}}
	f, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Definition.Model != "script/script" { // what a turn pins
		t.Errorf("the model is %q", f.Definition.Model)
	}
	if c := f.Definition.AgentCard(); c.Name != "a" || c.Description != "Does it." || c.Skills[0].Tags[0] != "x" || c.Skills[0].Examples[0] != "Do it" {
		t.Errorf("card %+v", c)
	}
	if _, err := Open(dir, Options{Denied: []string{"mcp__hub__drop", "hub"}}); err == nil || !strings.Contains(err.Error(), "pattern") {
		t.Errorf("a denied pattern that matches nothing: got %v", err)
	}
	if _, err := Open(dir, Options{Model: "nope/x"}); !errors.Is(err, ErrNoModel) || !strings.Contains(err.Error(), `"nope/x"`) {
		t.Errorf("an unknown model: got %v", err)
	}
	if _, err := Open(fstest.MapFS{"AGENT.md": dir["AGENT.md"]}, Options{}); !errors.Is(err, ErrNoModel) {
		t.Errorf("no model at all: got %v", err)
	}
	if _, err := Open(dir, Options{Servers: map[string]string{"typo": "https://x.example"}}); !errors.Is(err, ErrNoServer) || !strings.Contains(err.Error(), "typo") {
		t.Errorf("an unknown server: got %v", err)
	}
	dir["extended-card.json"] = &fstest.MapFile{Data: []byte(`{"description":"More."}`)}
	if f, err := Open(dir, Options{}); err != nil || f.Extended.Description != "More." { // CARD-08
		t.Errorf("an extended card: got %+v, %v", f, err)
	}
	for name, broken := range map[string]fstest.MapFS{
		"broken card":   {"AGENT.md": {Data: []byte(agentFile)}, "extended-card.json": {Data: []byte(`{"descripton":"More."}`)}},
		"no file":       {},
		"broken file":   {"AGENT.md": {Data: []byte("---\nnam: a\n---\nx")}},
		"broken script": {"AGENT.md": {Data: []byte(agentFile)}, "script.yaml": {Data: []byte("- stepz: 1")}},
	} {
		if _, err := Open(broken, Options{}); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// A model is named by its endpoint, which only the deployment knows.
func TestFind(t *testing.T) {
	t.Parallel()
	ours := script.New()
	for id, want := range map[string]string{
		"openai/gpt-5": "gpt-5", "openai/org/model:8b": "org/model:8b", "": "", "openai": "", "other/x": "", "http://evil/x": "",
	} {
		m, name, err := find(map[string]model.Model{"openai": ours}, id)
		if want == "" && err == nil || want != "" && (err != nil || name != want || m != model.Model(ours)) {
			t.Errorf("%q: got %q, %v", id, name, err)
		}
	}
}

// the token is the principal's own; a missing one asks for the connection; the guard
// keeps out what is not public.
func TestConnect(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(tracker.New(tracker.Options{Token: "t-alice"}))
	t.Cleanup(s.Close)
	o := Options{
		Guard:   netguard.Guard{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}},
		Servers: map[string]string{"tracker": s.URL},
		Token: func(_ context.Context, who access.Principal, connection string, _ time.Time) (string, error) {
			if who.Subject != "alice" || connection != "hub" {
				return "", nil
			}
			return "t-alice", nil
		},
	}
	list := func(o Options, who string) ([]tool.Tool, error) {
		server, err := connector{o}.connect("tracker", definition.Server{URL: "https://elsewhere.example", Connection: "hub"}, access.Principal{Subject: who}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return server.List(t.Context())
	}
	if tools, err := list(o, "alice"); err != nil || len(tools) == 0 {
		t.Errorf("alice: got %d tools, %v", len(tools), err)
	}
	var needs *tool.NeedsConnection
	if _, err := list(o, "bob"); !errors.As(err, &needs) || needs.App != "hub" {
		t.Errorf("bob: got %v, want a connection asked for", err)
	}
	var sinces []time.Time
	connected := time.Now()
	o.Token = func(_ context.Context, _ access.Principal, _ string, since time.Time) (string, error) {
		sinces = append(sinces, since)
		return "t-alice", nil
	}
	server, err := connector{o}.connect("tracker", definition.Server{URL: "https://elsewhere.example", Connection: "hub"}, access.Principal{Subject: "alice"}, connected)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.List(t.Context()); err != nil || len(sinces) == 0 || !sinces[0].Equal(connected) {
		t.Errorf("got %v; the token was asked for as of %v, want %v, when it was connected", err, sinces, connected)
	}
	o.Guard = netguard.Guard{}
	if _, err := list(o, "alice"); err == nil || strings.Contains(err.Error(), "t-alice") {
		t.Errorf("through the strict guard: got %v", err)
	}
}

// why a token could not be looked up is told to the operator, and to nobody else.
func TestFailedLookupIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	c := connector{Options{
		Log: slog.New(slog.NewTextHandler(&log, nil)),
		Token: func(context.Context, access.Principal, string, time.Time) (string, error) {
			return "", errors.New("the broker answered 503")
		},
	}}
	server, err := c.connect("tracker", definition.Server{URL: "https://tracker.example", Connection: "hub"}, access.Principal{}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := server.List(t.Context()); err == nil || strings.Contains(err.Error(), "503") {
		t.Errorf("the run was told %v", err)
	}
	if got := log.String(); !strings.Contains(got, "connection=hub") || !strings.Contains(got, "503") {
		t.Errorf("the log has %q", got)
	}
}
