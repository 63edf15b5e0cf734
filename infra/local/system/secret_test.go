package system

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// made once, never overwritten, the same for all who ask at once, readable by its user alone.
func TestSecret(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	secrets := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range secrets {
		wg.Go(func() {
			b, err := secretIn(path)
			if err != nil {
				t.Error(err)
			}
			secrets[i] = b
		})
	}
	wg.Wait()
	for _, b := range secrets {
		if len(b) != secretSize || !bytes.Equal(b, secrets[0]) {
			t.Fatalf("got %x and %x, want one secret of %d bytes", b, secrets[0], secretSize)
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode: got %v, %v, want 0600", info.Mode(), err)
	}
	if err := os.WriteFile(path, []byte("short"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := secretIn(path); err == nil {
		t.Error("a damaged secret: got no error")
	}
}
