package main

import (
	"net"
	"strings"
	"testing"
)

// A port that can't be had is said before anything is deployed.
func TestPort(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	for _, p := range []string{port, "none", "65536"} {
		if err := free(p); err == nil || !strings.HasPrefix(err.Error(), "PORT is ") {
			t.Errorf("%s: got %v, want an error that names PORT", p, err)
		}
	}
	l.Close()
	if err := free(port); err != nil {
		t.Errorf("a free port: got %v", err)
	}
}
