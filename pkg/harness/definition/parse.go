package definition

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Defaults of a file.
const (
	DefaultVersion         = "1.0.0"
	DefaultTimeout         = time.Minute
	MaxTimeout             = 2 * time.Minute
	MinTTL                 = time.Minute // recovery, which expires what is due, runs that often
	DefaultMaxSteps        = 25
	DefaultMaxOutputTokens = 4096
	DefaultTurnTimeout     = 30 * time.Minute
)

// Problem is what is wrong with a file, and where.
type Problem struct {
	Line int // from 1; 0: the file as a whole
	Text string
}

func (p Problem) Error() string {
	if p.Line == 0 {
		return p.Text
	}
	return fmt.Sprintf("line %d: %s", p.Line, p.Text)
}

// Problems are all that is wrong with a file, in the order of lines.
type Problems []Problem

func (p Problems) Error() string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Parse reads a file. The error is [Problems].
func Parse(file []byte) (*Definition, error) {
	front, body, err := split(file)
	if err != nil {
		return nil, err
	}
	root, err := document(front)
	if err != nil {
		return nil, err
	}
	r := &reader{}
	d := &Definition{Instructions: string(bytes.TrimSpace(body))}
	r.definition(d, root)
	r.check(d, root)
	r.problems = append(r.problems, secretsIn(body, above+bytes.Count(front, []byte("\n"))+3)...)
	if len(r.problems) > 0 {
		r.sort()
		return nil, r.problems
	}
	d.Hash = hash(file)
	return d, nil
}

// document is the one document that a front matter is. What stood in a second one, a rule that denies
// a tool perhaps, would be read by nobody.
func document(front []byte) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(front))
	var first, second yaml.Node
	switch err := decoder.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, Problems{{Line: above + 1, Text: "the front matter is empty"}}
	case err != nil:
		return nil, Problems{yamlProblem(err, front)}
	}
	switch err := decoder.Decode(&second); {
	case errors.Is(err, io.EOF):
		return first.Content[0], nil
	case err != nil:
		return nil, Problems{yamlProblem(err, front)}
	}
	return nil, Problems{{Line: above + second.Line, Text: "a second document begins in the front matter; a line --- without spaces ends it"}}
}

func hash(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// above is how many lines stand above the front matter.
const above = 1

// split cuts a file into front matter and body.
func split(file []byte) (front, body []byte, err error) {
	if len(file) > MaxSize {
		return nil, nil, Problems{{Text: fmt.Sprintf("the file has %d bytes; the limit is %d", len(file), MaxSize)}}
	}
	text := bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	rest, ok := bytes.CutPrefix(text, []byte("---\n"))
	if !ok {
		return nil, nil, Problems{{Line: 1, Text: "the file must begin with a line ---"}}
	}
	if body, ok := bytes.CutPrefix(rest, []byte("---\n")); ok {
		return nil, body, nil
	}
	front, body, ok = bytes.Cut(rest, []byte("\n---\n"))
	if !ok {
		if front, ok = bytes.CutSuffix(rest, []byte("\n---")); !ok {
			return nil, nil, Problems{{Text: "the front matter has no end: a second line ---"}}
		}
	}
	return front, body, nil
}

// ofParser is how errors of YAML's parser begin. Their lines count from 0, those of its scanner from 1.
// Either names the line where what it failed in begins, or else where it failed, and none for the first.
var ofParser = regexp.MustCompile(`^(?:did not find expected (?:<|'-'|',|key|node)|found (?:undefined|duplicate|incompatible))`)

// yamlProblem is an error of YAML.
func yamlProblem(err error, front []byte) Problem {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if name, ok := strings.CutPrefix(text, "unknown anchor '"); ok {
		name, _, _ = strings.Cut(name, "'")
		before, _, _ := bytes.Cut(front, []byte("*"+name))
		return Problem{Line: above + 1 + bytes.Count(before, []byte("\n")), Text: notRead}
	}
	if odd := bytes.IndexFunc(front, notYAML); odd >= 0 {
		return Problem{Line: above + 1 + bytes.Count(front[:odd], []byte("\n")), Text: "there is a character that YAML does not have"}
	}
	line := 1
	if _, scan := fmt.Sscanf(text, "line %d:", &line); scan == nil {
		if _, text, _ = strings.Cut(text, ": "); ofParser.MatchString(text) {
			line++
		}
	}
	return Problem{Line: above + line, Text: text + ", here or in what begins here"}
}

// notYAML reports whether a character, or what is none, can't stand in YAML as it is.
func notYAML(c rune) bool {
	return c < ' ' && c != '\t' && c != '\n' && c != '\r' || c == utf8.RuneError || c > '~' && c < 0xA0 && c != 0x85
}

// ErrPattern says that something is no pattern of tools.
var ErrPattern = errors.New("is no pattern server/tool")

// Pattern is a pattern of tools, server/tool, in which * stands for any part of either side. The
// spelling mcp__server__tool is taken too.
func Pattern(p string) (string, error) {
	if rest, ok := strings.CutPrefix(p, "mcp__"); ok {
		if server, tool, ok := strings.Cut(rest, "__"); ok {
			p = server + "/" + tool
		}
	}
	if !toolPattern.MatchString(p) {
		return p, fmt.Errorf("%q %w", p, ErrPattern)
	}
	return p, nil
}
