package main

import (
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/infra/tracker"
)

// The agent that is shipped is in order.
func TestCheckCoder(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(tracker.New(tracker.Options{}))
	t.Cleanup(s.Close)
	var out strings.Builder
	c := check{Folder: "../../agents/coder", Local: true, Server: map[string]string{"tracker": s.URL}}
	if err := c.Run(t.Context(), &out); err != nil {
		t.Errorf("%v:\n%s", err, out.String())
	}
	for _, want := range []string{"coder 1.0.0", "tracker: 7 tools", "ask   write      create_pull_request", "allow read       list_issues", "deny  write      delete_issue"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestCheckFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(tracker.New(tracker.Options{}))
	t.Cleanup(s.Close)
	front := "---\nname: a\ndescription: d\nmcpServers: { hub: { url: " + s.URL + " } }\n"
	for name, tt := range map[string]struct {
		file  string
		check check
		want  string
	}{
		"a typo":              {"---\nname: a\ndescription: d\nlop: {}\n---\nDo it.", check{}, `AGENT.md: line 4: "lop" is no key of the front matter; did you mean "loop"?`},
		"a rule for nothing":  {front + "permissions: { allow: [hub/nothing] }\n---\nDo it.", check{Local: true}, "hub/nothing matches no tool"},
		"a server not public": {front + "---\nDo it.", check{}, "hub: "},
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "AGENT.md"), []byte(tt.file), 0o600); err != nil {
			t.Fatal(err)
		}
		tt.check.Folder = dir
		var out strings.Builder
		if err := tt.check.Run(t.Context(), &out); !errors.Is(err, errChecked) || !strings.Contains(out.String(), tt.want) {
			t.Errorf("%s: got %v:\n%s", name, err, out.String())
		}
	}
	var out strings.Builder
	offline := check{Folder: "../../agents/coder", Offline: true}
	if err := offline.Run(t.Context(), &out); err != nil || strings.Contains(out.String(), "tools") {
		t.Errorf("offline: got %v:\n%s", err, out.String())
	}
}

// R-71, CARD-08: cards are made ahead, for programs that read no YAML.
func TestCard(t *testing.T) {
	t.Parallel()
	dir, out := filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "cards")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"AGENT.md": "---\nname: a\ndescription: d\n---\nDo it.", "extended-card.json": `{"description":"More."}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var said strings.Builder
	if err := (&card{Folders: []string{"../../agents/coder", dir}, Out: out}).Run(&said); err != nil || said.String() != "" {
		t.Fatalf("got %v, %q", err, said.String())
	}
	for name, want := range map[string]string{"coder.json": `"name": "coder"`, "a.json": `"name": "a"`, "a.extended.json": `"description": "More."`} {
		if b, err := os.ReadFile(filepath.Join(out, name)); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: got %s, %v", name, b, err)
		}
	}
	if err := (&card{Folders: []string{dir}}).Run(&said); err != nil || !strings.Contains(said.String(), "More.") {
		t.Errorf("to the output: got %v, %s", err, said.String())
	}
	t.Run("here", func(t *testing.T) {
		here := filepath.Join(t.TempDir(), "here")
		if err := (&card{Folders: []string{dir + "/."}, Out: here}).Run(&said); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(here, "a.json")); err != nil {
			t.Error(err)
		}
		if err := (&card{Folders: []string{dir, dir + "/"}, Out: here}).Run(&said); err == nil {
			t.Error("two cards of one name: got no error")
		}
	})
	if err := (&card{Folders: []string{t.TempDir()}}).Run(&said); err == nil {
		t.Error("no agent: got no error")
	}
}
