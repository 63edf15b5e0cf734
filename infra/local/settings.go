package main

import (
	"fmt"
	"strconv"
	"time"

	"github.com/interlude-a2a/interlude/pkg/turn"
)

// settings are what the environment says.
type settings struct {
	port  string        // PORT; default 8080, 0: any free one
	data  string        // DATA; default .data
	lease time.Duration // LEASE; default 30 s
}

// readSettings reads and checks the environment. The error names the variable.
func readSettings(env func(string) string) (settings, error) {
	s := settings{port: "8080", data: ".data", lease: turn.DefaultLease}
	if v := env("PORT"); v != "" {
		if n, err := strconv.ParseUint(v, 10, 16); err != nil {
			return s, fmt.Errorf("PORT is %q, not a port number", v)
		} else {
			s.port = strconv.FormatUint(n, 10)
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
	if v := env("AGENT"); v != "" && v != "test" {
		return s, fmt.Errorf("AGENT is %q; there is only test", v)
	}
	return s, nil
}
