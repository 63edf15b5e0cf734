package definition

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

const whole = `---
name: coder
description: Writes and ships changes.
version: 1.2.0
model: openai/gpt-5
mcpServers:
  tracker:
    type: http
    url: https://mcp.example.com/tracker
    connection: tracker
    trusted: true
    tools: ["*"]
    timeout: 90s
  billing: { url: "https://billing.example.com" }
permissions:
  allow: ["tracker/get_*", mcp__tracker__list_issues]
  ask: ["tracker/*"]
  deny: ["*/delete_*"]
  default: deny
effects:
  tracker/create_pull_request: { class: write }
  billing/charge: { class: idempotent, key: { argument: request_id } }
loop: { maxSteps: 5, maxOutputTokens: 100, turnTimeout: 10m, approvalTtl: 7d, questions: false, connections: true, budget: { tokens: 1000 } }
skills: [release-notes]
card: { tags: [code], examples: ["Open a PR."] }
metadata: { team: platform }
---

You are a careful engineer.
`

// HARN-06: everything that a file may say.
func TestParse(t *testing.T) {
	t.Parallel()
	got, err := Parse([]byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	want := &Definition{
		Name: "coder", Description: "Writes and ships changes.", Version: "1.2.0", Model: "openai/gpt-5",
		Instructions: "You are a careful engineer.",
		Servers: map[string]Server{
			"tracker": {URL: "https://mcp.example.com/tracker", Connection: "tracker", Trusted: true, Tools: []string{"*"}, Timeout: 90 * time.Second},
			"billing": {URL: "https://billing.example.com", Timeout: DefaultTimeout},
		},
		Permissions: Permissions{
			Allow: []string{"tracker/get_*", "tracker/list_issues"}, Ask: []string{"tracker/*"}, Deny: []string{"*/delete_*"}, Default: "deny",
		},
		Effects: map[string]Effect{"tracker/create_pull_request": {Class: "write"}, "billing/charge": {Class: "idempotent", Key: "request_id"}},
		Loop: Loop{
			MaxSteps: 5, MaxOutputTokens: 100, TurnTimeout: 10 * time.Minute, ApprovalTTL: 7 * 24 * time.Hour, Connections: true, MaxTokens: 1000,
		},
		Skills:   []string{"release-notes"},
		Card:     Card{Tags: []string{"code"}, Examples: []string{"Open a PR."}},
		Metadata: map[string]any{"team": "platform"},
		Hash:     hash([]byte(whole)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	crlf, err := Parse([]byte(strings.ReplaceAll(whole, "\n", "\r\n")))
	if err != nil || crlf.Instructions != want.Instructions || crlf.Hash == want.Hash {
		t.Errorf("with CRLF: got %+v, %v, want the same but for the hash", crlf, err)
	}
}

// CONN-01, HARN-04: questions are on and connections are off unless the file says so.
func TestDefaults(t *testing.T) {
	t.Parallel()
	d, err := Parse([]byte("---\nname: a\ndescription: d\n---\nDo it."))
	if err != nil {
		t.Fatal(err)
	}
	want := Loop{MaxSteps: 25, MaxOutputTokens: 4096, TurnTimeout: 30 * time.Minute, Questions: true}
	if d.Loop != want || d.Version != "1.0.0" || d.Permissions.Default != "ask" {
		t.Errorf("got %+v", d)
	}
}

// front is a file whose front matter has more lines, the first of which is line 4.
func front(more string) string {
	return "---\nname: a\ndescription: d\n" + more + "\n---\nDo it."
}

func TestRefused(t *testing.T) {
	t.Parallel()
	server := "mcpServers:\n  s: { url: \"https://x.example\" }\n"
	for name, tt := range map[string]struct{ file, want string }{
		"no front matter":     {"You are …", "line 1: the file must begin with a line ---"},
		"no end":              {"---\nname: a\n", "no end"},
		"empty":               {"---\n---\nDo it.", "line 2: the front matter is empty"},
		"no mapping":          {"---\n- a\n---\nDo it.", "line 2: the front matter must be a mapping"},
		"a list among keys":   {front("- x"), "line 4: did not find expected key"},
		"an open list":        {"---\nname: [a\n---\nDo it.", "line 3: did not find expected ',' or ']'"},
		"an open brace":       {front("loop: { maxSteps: 3\nmodel: a/b"), "line 4: did not find expected ',' or '}'"},
		"an open list below":  {front(server + "permissions:\n  allow: [\"s/y\"\n  deny: []"), "line 7: did not find expected ',' or ']'"},
		"a brace too many":    {front("loop:\n  maxSteps: 3\n  } x"), "line 5: did not find expected key"},
		"a tab":               {front("model:\n\ta/b"), "line 5: found character that cannot start any token, here or in what begins here"},
		"no token, first":     {"---\nname: @a\n---\nDo it.", "line 2: found character that cannot start any token"},
		"no token":            {front("model: @a"), "line 4: found character that cannot start any token"},
		"an unknown anchor":   {front("model: a/b\nmetadata: *x"), "line 5: anchors, aliases"},
		"a control character": {front("model: a\x01"), "line 4: there is a character that YAML does not have"},
		"no UTF-8":            {front("model: a\xff"), "line 4: there is a character that YAML does not have"},
		"too big":             {front("x: " + strings.Repeat("a", MaxSize)), "the limit is 65536"},
		"no instructions":     {"---\nname: a\ndescription: d\n---\n", "no instructions"},
		"no name":             {"---\ndescription: d\n---\nDo it.", "name is required"},
		"bad name":            {"---\nname: A b\ndescription: d\n---\nDo it.", "name is required"},
		"no description":      {"---\nname: a\n---\nDo it.", "description is required"},
		"unknown key":         {front("permission: {}"), `line 4: "permission" is no key of the front matter; did you mean "permissions"?`},
		"quite unknown key":   {front("zzzzzzzz: 1"), "; it has card, description"},
		"key given twice":     {front("model: a/b\nmodel: c/d"), `"model"`},
		"unknown inner key":   {front("loop: { maxStep: 3 }"), `did you mean "maxSteps"?`},
		"wrong type":          {front("loop: { maxSteps: many }"), "line 4: must be a whole number"},
		"zero steps":          {front("loop: { maxSteps: 0 }"), "at least 1"},
		"text for a flag":     {front("loop: { questions: \"yes\" }"), "true or false"},
		"bad time":            {front("loop: { turnTimeout: 5 }"), "must be a time"},
		"server without url":  {front("mcpServers: { s: { trusted: true } }"), "server s has no url"},
		"server of stdio":     {front("mcpServers: { s: { type: stdio, url: \"https://x.example\" } }"), "there is only http"},
		"server of file":      {front("mcpServers: { s: { url: \"file:///etc/passwd\" } }"), "absolute http or https URL"},
		"user in url":         {front("mcpServers: { s: { url: \"https://u:p@x.example\" } }"), "neither a user"},
		"server of that name": {front("mcpServers: { builtin: { url: \"https://x.example\" } }"), "no name of a server"},
		"server of two names": {front("mcpServers: { a__b: { url: \"https://x.example\" } }"), "no name of a server"},
		"server of an end":    {front("mcpServers: { a_: { url: \"https://x.example\" } }"), "no name of a server"},
		"short wait":          {front("loop: { approvalTtl: 30s }"), "at least 1m0s"},
		"slow server":         {front("mcpServers: { s: { url: \"https://x.example\", timeout: 5m } }"), "at most 2m0s"},
		"bad pattern":         {front(server + "permissions: { allow: [\"s\"] }"), `line 6: "s" is no pattern server/tool`},
		"pattern of nobody":   {front(server + "permissions:\n  allow: [\"t/x\"]"), `line 7: pattern "t/x" names server "t"`},
		"allowed by default":  {front("permissions: { default: allow }"), "must be ask or deny"},
		"unknown class":       {front("effects: { s/x: { class: safe } }"), "read, idempotent or write"},
		"key of a write":      {front("effects: { s/x: { class: write, key: { argument: id } } }"), "only makes idempotent calls"},
		"secret":              {front("model: sk-abcdefghijklmnopqrstuvwx"), "line 4: this looks like a secret"},
		"secret in the text":  {front("model: a/b") + "\n\nUse sk-abcdefghijklmnopqrstuvwx.", "line 8: this looks like a secret"},
		"secret in metadata":  {front("metadata: { t: \"Bearer abc.def\" }"), "this looks like a secret"},
		"secret in a url":     {front("mcpServers: { s: { url: \"https://x.example/?key=sk-abcdefghijklmnopqrstuvwx\" } }"), "this looks like a secret"},
		"second document":     {front("--- \npermissions: { deny: [\"*/*\"] }"), "line 4: a second document"},
		"document's end":      {front("...\npermissions: { deny: [\"*/*\"] }"), "line 5: did not find expected <document start>"},
		"effect of nobody":    {front(server + "effects: { t/x: { class: read } }"), `line 6: pattern "t/x" names server "t"`},
		"effect given twice":  {front(server + "effects:\n  s/x: { class: read }\n  mcp__s__x: { class: write }"), "line 8: effect s/x is given twice"},
		"too many days":       {front("loop: { turnTimeout: 213504d }"), "must be a time"},
		"alias":               {front("card: &c { tags: [a] }\nmetadata: *c"), "aliases"},
		"metadata of no JSON": {front("metadata: { x: .nan }"), "line 4: .nan has no form in JSON"},
		"metadata twice":      {front("metadata: { x: { a: 1, a: 2 } }"), `"a" is given twice`},
		"metadata of a list":  {front("metadata: [x]"), "must be a mapping"},
		"deep metadata":       {front("metadata: { x: " + strings.Repeat("[", 40) + strings.Repeat("]", 40) + " }"), "nests more than 32"},
		"alias in metadata":   {front("metadata: { x: [&c a, *c] }"), "not an alias"},
		"no tools":            {front("mcpServers: { s: { url: \"https://x.example\", tools: [] } }"), "offers no tool"},
		"odd tools":           {front("mcpServers: { s: { url: \"https://x.example\", tools: [s/x] } }"), "no pattern of tools"},
		"odd connection":      {front("mcpServers: { s: { url: \"https://x.example\", connection: ../x } }"), "must be 1 to 128 of"},
		"odd protocol":        {front("mcpServers: { s: { url: \"https://x.example\", protocol: latest } }"), "a version of MCP"},
		"no version":          {front("version: \"\""), "line 4: must be 1 to 256 printable"},
		"no connection":       {front("mcpServers: { s: { url: \"https://x.example\", connection: \"\" } }"), "must be 1 to 128 of"},
		"no key":              {front(server + "effects: { s/x: { class: idempotent, key: { argument: \"\" } } }"), "must be 1 to 256 printable"},
		"odd version":         {front("version: \"1\\e[2J\""), "printable characters"},
		"spaces in the model": {front("model: \"a b\""), "without spaces"},
		"odd skill":           {front("skills: [../x]"), "no name of a skill"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := Parse([]byte(tt.file))
			var problems Problems
			if !errors.As(err, &problems) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %+v, %v, want %q", d, err, tt.want)
			}
		})
	}
}

// What a file holds of any shape can be kept as JSON, also where YAML has more than that.
func TestMetadata(t *testing.T) {
	t.Parallel()
	d, err := Parse([]byte(front("metadata: { 1: a, on: 2026-01-02, x: [{ y: null }, 1.5, true] }")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(d.Metadata)
	if want := `{"1":"a","on":"2026-01-02T00:00:00Z","x":[{"y":null},1.5,true]}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// All that is wrong is told at once, by line.
func TestProblemsInOrder(t *testing.T) {
	t.Parallel()
	_, err := Parse([]byte(front("loop: { x1: 1 }\nmodell: a\nskills: 3")))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 || !strings.HasPrefix(lines[0], "line 4") || !strings.HasPrefix(lines[1], "line 5") || !strings.HasPrefix(lines[2], "line 6") {
		t.Errorf("got %q", lines)
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{
		"AGENT.md":               {Data: []byte(front("skills: [release-notes]"))},
		"release-notes/SKILL.md": {Data: []byte("---\nname: release-notes\n---\nWrite them well.")},
	}
	d, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Do it.\n\n# Skill: release-notes\n\nWrite them well."; d.Instructions != want {
		t.Errorf("instructions %q, want %q", d.Instructions, want)
	}
	dir["release-notes/SKILL.md"] = &fstest.MapFile{Data: []byte("Write them better.")}
	if other, err := Load(dir); err != nil || other.Hash == d.Hash {
		t.Errorf("another skill: hash %s, %v, want another", other.Hash, err)
	}
	dir["release-notes/SKILL.md"] = &fstest.MapFile{Data: []byte("Write them\nwith sk-abcdefghijklmnopqrstuvwx.")}
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "skill release-notes, line 2: this looks like a secret") {
		t.Errorf("with a secret: got %v", err)
	}
	delete(dir, "release-notes/SKILL.md")
	if _, err := Load(dir); err == nil || !strings.Contains(err.Error(), "release-notes/SKILL.md") {
		t.Errorf("without its skill: got %v", err)
	}
	if _, err := Load(fstest.MapFS{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("without a file: got %v", err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add([]byte(front("permission: {}")))
	f.Add([]byte("---\n? [a]: b\n<<: {x: y}\n---\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		d, err := Parse(file)
		var problems Problems
		if err != nil && (!errors.As(err, &problems) || d != nil || err.Error() == "") {
			t.Errorf("got %+v and %v", d, err)
		}
		if err == nil && (d.Name == "" || d.Instructions == "" || d.Hash == "") {
			t.Errorf("read nothing: %+v", d)
		}
	})
}
