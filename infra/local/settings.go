package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/interlude-a2a/interlude/pkg/turn"
)

// The default agent's folder, and the names of the agents that play scripts, and the scenarios of
// the conformance kit.
const (
	defaultAgent = "agents/coder"
	scripted     = "test"
	conformance  = "kit"
)

// settings are what the environment says.
type settings struct {
	port  string        // PORT; default 8080, 0: any free one
	grpc  string        // GRPC_PORT; default 50051, 0: any free one
	data  string        // DATA; default .data
	lease time.Duration // LEASE; default 30 s
	agent string        // AGENT; a folder with an AGENT.md, or test; default agents/coder

	heldCalls bool // HELD_CALLS; on or off, the default

	model   string // MODEL; default the folder's script
	baseURL string // OPENAI_BASE_URL of the endpoint openai
	key     string // OPENAI_API_KEY
}

// readSettings reads and checks the environment. The error names the variable.
func readSettings(env func(string) string) (settings, error) {
	s := settings{
		port: "8080", grpc: "50051", data: ".data", lease: turn.DefaultLease, agent: defaultAgent,
		model: env("MODEL"), baseURL: env("OPENAI_BASE_URL"), key: env("OPENAI_API_KEY"),
	}
	for name, port := range map[string]*string{"PORT": &s.port, "GRPC_PORT": &s.grpc} {
		if v := env(name); v != "" {
			n, err := strconv.ParseUint(v, 10, 16)
			if err != nil {
				return s, fmt.Errorf("%s is %q, not a port number", name, v)
			}
			*port = strconv.FormatUint(n, 10)
		}
	}
	if v := env("DATA"); v != "" {
		s.data = v
	}
	if v := env("LEASE"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < turn.MinLease {
			return s, fmt.Errorf("LEASE is %q, not a duration of at least %v", v, turn.MinLease)
		}
		s.lease = d
	}
	switch v := env("HELD_CALLS"); v {
	case "on":
		s.heldCalls = true
	case "", "off":
	default:
		return s, fmt.Errorf("HELD_CALLS is %q, neither on nor off", v)
	}
	if v := env("AGENT"); v != "" {
		s.agent = v
	}
	return s, nil
}
