package agenttest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// statement is one line of a script: a verb with its text, or several asks raised together.
type statement struct {
	verb string
	text string
	asks []ask // approve, ask, connect
}

// ask is one thing to ask a person.
type ask struct {
	verb         string
	server, tool string // approve
	app          string // connect
	text         string // question or reason
}

// parse reads a script. Text that is no statement becomes an echo of it.
func parse(m a2a.Message) []statement {
	var text string
	for _, p := range m.Parts {
		if t, ok := p.Content.(a2a.Text); ok {
			text = string(t)
			break
		}
	}
	var script []statement
	for line := range strings.SplitSeq(text, ";") {
		if line = strings.TrimSpace(line); line != "" {
			script = append(script, parseStatement(line))
		}
	}
	return script
}

func parseStatement(line string) statement {
	var asks []ask
	for part := range strings.SplitSeq(line, " & ") {
		a, ok := parseAsk(part)
		if !ok {
			asks = nil
			break
		}
		asks = append(asks, a)
	}
	if asks != nil {
		return statement{asks: asks}
	}
	verb, text, _ := strings.Cut(line, " ")
	text = strings.TrimSpace(text)
	switch verb {
	case "say", "piece", "write", "message", "fail", "reject":
		if text != "" {
			return statement{verb: verb, text: text}
		}
	case "artifact":
		if _, err := content(text); err == nil {
			return statement{verb: verb, text: text}
		}
	case "sleep":
		if d, err := time.ParseDuration(text); err == nil && d >= 0 {
			return statement{verb: verb, text: text}
		}
	case "crash":
		if text == "" {
			return statement{verb: verb}
		}
	}
	return statement{verb: "echo", text: line}
}

var callPattern = regexp.MustCompile(`(?s)^([\w.-]+)/([\w.-]+)(?:\s+(.*))?$`)

func parseAsk(s string) (ask, bool) {
	verb, text, _ := strings.Cut(strings.TrimSpace(s), " ")
	text = strings.TrimSpace(text)
	switch verb {
	case "approve":
		if m := callPattern.FindStringSubmatch(text); m != nil {
			return ask{verb: verb, server: m[1], tool: m[2], text: m[3]}, true
		}
	case "ask":
		return ask{verb: verb, text: text}, text != ""
	case "connect":
		app, reason, _ := strings.Cut(text, ":")
		app, reason = strings.TrimSpace(app), strings.TrimSpace(reason)
		return ask{verb: verb, app: app, text: reason}, app != "" && reason != ""
	}
	return ask{}, false
}

// content is the part that an artifact statement describes. It is never empty.
func content(text string) (a2a.Part, error) {
	kind, text, _ := strings.Cut(text, " ")
	text = strings.TrimSpace(text)
	if text == "" {
		return a2a.Part{}, fmt.Errorf("no content: %q", kind)
	}
	switch kind {
	case "text":
		return a2a.Part{Content: a2a.Text(text)}, nil
	case "url":
		return a2a.Part{Content: a2a.URL(text)}, nil
	case "data":
		if !json.Valid([]byte(text)) {
			return a2a.Part{}, fmt.Errorf("not JSON: %q", text)
		}
		return a2a.Part{Content: a2a.Data(text)}, nil
	case "raw":
		b, err := base64.StdEncoding.DecodeString(text)
		return a2a.Part{Content: a2a.Raw(b), MediaType: "application/octet-stream"}, err
	}
	return a2a.Part{}, fmt.Errorf("no kind of content: %q", kind)
}
