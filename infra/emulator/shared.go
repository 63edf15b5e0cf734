package emulator

import (
	"context"
	"errors"
	"os"
	"sync"
	"testing"
)

// shared is the one emulator of a test process. Nobody stops it: it ends with the process.
var shared = sync.OnceValues(func() (*Emulator, error) { return Start(context.Background(), Options{}) })

// Shared returns the emulator of this test process, which the first caller starts. Without the
// tools the test is skipped, unless INTERLUDE_PEERS=required, as make test sets it.
func Shared(t testing.TB) *Emulator {
	t.Helper()
	e, err := shared()
	switch {
	case errors.Is(err, ErrNotInstalled) && os.Getenv("INTERLUDE_PEERS") != "required":
		t.Skip(err)
	case err != nil:
		t.Fatal(err)
	}
	return e
}
