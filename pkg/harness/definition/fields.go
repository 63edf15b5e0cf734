package definition

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// definition reads the front matter.
func (r *reader) definition(d *Definition, n *yaml.Node) {
	d.Version = DefaultVersion
	d.Loop = Loop{MaxSteps: DefaultMaxSteps, MaxOutputTokens: DefaultMaxOutputTokens, TurnTimeout: DefaultTurnTimeout, Questions: true}
	d.Permissions.Default = "ask"
	r.mapping(n, "the front matter", fields{
		"name":        r.text(&d.Name),
		"description": r.text(&d.Description),
		"version":     r.formed(&d.Version, word),
		"model":       r.formed(&d.Model, word),
		"mcpServers":  func(n *yaml.Node) { r.servers(d, n) },
		"permissions": func(n *yaml.Node) { r.permissions(&d.Permissions, n) },
		"effects":     func(n *yaml.Node) { r.effects(d, n) },
		"loop":        func(n *yaml.Node) { r.loop(&d.Loop, n) },
		"card": func(n *yaml.Node) {
			r.mapping(n, "card", fields{"tags": r.texts(&d.Card.Tags), "examples": r.texts(&d.Card.Examples)})
		},
		"skills": func(n *yaml.Node) {
			r.texts(&d.Skills)(n)
			for i, name := range d.Skills {
				if !agentName.MatchString(name) {
					r.fail(n.Content[i], "%q is no name of a skill", name)
				}
			}
		},
		"metadata": r.anything(&d.Metadata),
	})
}

func (r *reader) servers(d *Definition, n *yaml.Node) {
	d.Servers = map[string]Server{}
	r.each(n, "mcpServers", func(key, value *yaml.Node) {
		if !serverName.MatchString(key.Value) || strings.Contains(key.Value+"_", "__") || key.Value == Builtin {
			r.fail(key, "%q is no name of a server: 1 to 32 of a–z, 0–9, _ and -, without __ or _ at the end, and not %s", key.Value, Builtin)
			return
		}
		d.Servers[key.Value] = r.server(key, value)
	})
}

func (r *reader) server(key, n *yaml.Node) Server {
	s := Server{Timeout: DefaultTimeout}
	kind := "http"
	r.mapping(n, "server "+key.Value, fields{
		"type":       r.text(&kind),
		"url":        func(n *yaml.Node) { r.text(&s.URL)(n); r.checkURL(n, s.URL) },
		"connection": r.formed(&s.Connection, connection),
		"trusted":    r.flag(&s.Trusted),
		"tools":      func(n *yaml.Node) { r.offered(&s, n) },
		"timeout": func(n *yaml.Node) {
			if r.duration(&s.Timeout)(n); s.Timeout > MaxTimeout {
				r.fail(n, "must be at most %v", MaxTimeout)
			}
		},
		"protocol": r.formed(&s.Protocol, protocol),
	})
	if kind != "http" {
		r.fail(n, "server %s has type %q; there is only http", key.Value, kind)
	}
	if s.URL == "" {
		r.fail(key, "server %s has no url", key.Value)
	}
	return s
}

// offered reads which of a server's tools there are for the agent.
func (r *reader) offered(s *Server, n *yaml.Node) {
	r.texts(&s.Tools)(n)
	for i, item := range n.Content {
		if i < len(s.Tools) && !offered.MatchString(s.Tools[i]) {
			r.fail(item, "%q is no pattern of tools: 1 to 128 of A–Z, a–z, 0–9, _, ., - and *", s.Tools[i])
		}
	}
	if n.Kind == yaml.SequenceNode && len(n.Content) == 0 {
		r.fail(n, "an empty list offers no tool; leave the key out to offer all, or the server to offer none")
	}
}

// checkURL takes an absolute URL without secrets. The address is guarded when it is dialed.
func (r *reader) checkURL(n *yaml.Node, raw string) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "":
		r.fail(n, "must be an absolute http or https URL")
	case u.User != nil || u.Fragment != "":
		r.fail(n, "must have neither a user nor a fragment")
	}
}

func (r *reader) permissions(p *Permissions, n *yaml.Node) {
	patterns := func(to *[]string) func(*yaml.Node) {
		return func(n *yaml.Node) {
			r.texts(to)(n)
			for i, item := range n.Content {
				if i < len(*to) {
					(*to)[i] = r.pattern(item, (*to)[i])
				}
			}
		}
	}
	r.mapping(n, "permissions", fields{
		"allow": patterns(&p.Allow), "ask": patterns(&p.Ask), "deny": patterns(&p.Deny),
		"default": func(n *yaml.Node) {
			if r.text(&p.Default)(n); p.Default != "ask" && p.Default != "deny" {
				r.fail(n, "must be ask or deny")
			}
		},
	})
}

func (r *reader) effects(d *Definition, n *yaml.Node) {
	d.Effects = map[string]Effect{}
	r.each(n, "effects", func(key, value *yaml.Node) {
		var e Effect
		r.mapping(value, "effect "+key.Value, fields{
			"class": func(n *yaml.Node) {
				r.text(&e.Class)(n)
				switch e.Class {
				case "read", "idempotent", "write":
				default:
					r.fail(n, "must be read, idempotent or write")
				}
			},
			"key": func(n *yaml.Node) {
				r.mapping(n, "key", fields{"argument": r.formed(&e.Key, word)})
			},
		})
		if e.Class == "" {
			r.fail(key, "effect %s has no class", key.Value)
		}
		if e.Key != "" && e.Class != "idempotent" {
			r.fail(key, "effect %s has a key, which only makes idempotent calls", key.Value)
		}
		pattern := r.pattern(key, key.Value)
		if _, ok := d.Effects[pattern]; ok {
			r.fail(key, "effect %s is given twice", pattern)
		}
		d.Effects[pattern] = e
	})
}

func (r *reader) loop(l *Loop, n *yaml.Node) {
	r.mapping(n, "loop", fields{
		"maxSteps":        r.number(&l.MaxSteps),
		"maxOutputTokens": r.number(&l.MaxOutputTokens),
		"turnTimeout":     r.duration(&l.TurnTimeout),
		"approvalTtl": func(n *yaml.Node) {
			if r.duration(&l.ApprovalTTL)(n); l.ApprovalTTL > 0 && l.ApprovalTTL < MinTTL {
				r.fail(n, "must be at least %v", MinTTL)
			}
		},
		"questions":   r.flag(&l.Questions),
		"connections": r.flag(&l.Connections),
		"budget":      func(n *yaml.Node) { r.mapping(n, "budget", fields{"tokens": r.number(&l.MaxTokens)}) },
	})
}

// Builtin is the server that the built-in tools count as.
const Builtin = "builtin"

var (
	agentName   = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)
	serverName  = regexp.MustCompile(`^[a-z0-9_-]{1,32}$`)
	offered     = regexp.MustCompile(`^[A-Za-z0-9_.*-]{1,128}$`)
	toolPattern = regexp.MustCompile(`^[a-z0-9_*-]+/[A-Za-z0-9_.*-]+$`)
)

var (
	word       = form{regexp.MustCompile(`^[^\pC\pZ]{1,256}$`), "1 to 256 printable characters without spaces"}
	connection = form{regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`), "1 to 128 of A–Z, a–z, 0–9, _ and -"}
	protocol   = form{regexp.MustCompile(`^20[0-9]{2}-[0-9]{2}-[0-9]{2}$`), "a version of MCP, such as 2025-11-25"}
)

// pattern reads a pattern of tools.
func (r *reader) pattern(n *yaml.Node, p string) string {
	p, err := Pattern(p)
	if err != nil {
		r.fail(n, "%v", err)
		return p
	}
	r.patterns = append(r.patterns, n)
	return p
}

// maxDescription is the most characters of a description.
const maxDescription = 1024

// check holds what no single key can.
func (r *reader) check(d *Definition, front *yaml.Node) {
	if !agentName.MatchString(d.Name) {
		r.fail(front, "name is required: 1 to 64 of a–z, 0–9 and -")
	}
	if n := utf8.RuneCountInString(d.Description); n == 0 || n > maxDescription {
		r.fail(front, "description is required: at most %d characters, here %d", maxDescription, n)
	}
	if d.Instructions == "" {
		r.problems = append(r.problems, Problem{Text: "there are no instructions below the front matter"})
	}
	for _, n := range r.patterns {
		r.knownServer(d, n)
	}
	r.secrets(front)
}

// knownServer finds patterns that name a server which the file does not have.
func (r *reader) knownServer(d *Definition, n *yaml.Node) {
	pattern, _ := Pattern(n.Value)
	server, _, _ := strings.Cut(pattern, "/")
	if _, ok := d.Servers[server]; !ok && server != Builtin && !strings.Contains(server, "*") {
		r.fail(n, "pattern %q names server %q, which the file does not have", pattern, server)
	}
}

// secret is what tokens and keys look like, also within a value: the query of a URL. bearer is one by
// its scheme, which a text may speak of.
var (
	secret = regexp.MustCompile(fmt.Sprintf(`(?i)(?:^|[^a-z0-9])(?:%s)`, strings.Join([]string{
		`sk-[a-z0-9_-]{16,}`, `gh[pousr]_[a-z0-9]{20,}`, `github_pat_[a-z0-9_]{20,}`, `xox[abprs]-[a-z0-9-]{10,}`,
		`AKIA[0-9A-Z]{16}`, `eyJ[a-z0-9_-]{10,}\.[a-z0-9_-]{10,}\.`, `-----BEGIN [A-Z ]*PRIVATE KEY`, `glpat-[a-z0-9_-]{16,}`,
	}, "|")))
	bearer = regexp.MustCompile(`(?i)^\s*bearer\s+\S+`)
)

const asSecret = "this looks like a secret; name a connection instead"

// secrets refuses values that look like secrets, wherever they stand.
func (r *reader) secrets(n *yaml.Node) {
	if n.Kind == yaml.ScalarNode && (secret.MatchString(n.Value) || bearer.MatchString(n.Value)) {
		r.fail(n, asSecret)
	}
	for _, child := range n.Content {
		r.secrets(child)
	}
}

// secretsIn finds lines of a text that hold what looks like a secret. The text's first line is line first.
func secretsIn(text []byte, first int) (found Problems) {
	for line := range bytes.Lines(text) {
		if secret.Match(line) {
			found = append(found, Problem{Line: first, Text: asSecret})
		}
		first++
	}
	return found
}
