package emulator_test

import (
	"net"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/infra/emulator"
)

// A port that another has is refused at once, whoever answers on it.
func TestStartOnATakenPort(t *testing.T) {
	t.Parallel()
	emulator.Shared(t) // skips without the tools
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = emulator.Start(t.Context(), emulator.Options{Port: l.Addr().(*net.TCPAddr).Port})
	if err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("got %v, want that the port is taken", err)
	}
}

// What ends instead of answering is not waited for, and its own words are the error.
func TestStartOfWhatEnds(t *testing.T) {
	t.Setenv("INTERLUDE_EMULATOR", "/bin/sh") // which takes no Python
	_, err := emulator.Start(t.Context(), emulator.Options{})
	if err == nil || !strings.Contains(err.Error(), "it ended: /bin/sh: ") {
		t.Errorf("got %v, want what it said", err)
	}
}
