package system

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

const secretSize = 32

func newSecret() []byte {
	b := make([]byte, secretSize)
	rand.Read(b) // never fails
	return b
}

// secretIn is the deployment's secret, kept in a file that is made, and never overwritten, when
// it is first needed.
func secretIn(path string) ([]byte, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if b, err = makeSecret(path); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	if len(b) != secretSize {
		return nil, fmt.Errorf("%s holds %d bytes, not a secret of %d", path, len(b), secretSize)
	}
	return b, nil
}

// makeSecret writes the file whole or not at all: another process sees no half of it.
func makeSecret(path string) ([]byte, error) {
	b := newSecret()
	half := fmt.Sprintf("%s.%d", path, os.Getpid())
	defer os.Remove(half)
	if err := os.WriteFile(half, b, 0o600); err != nil {
		return nil, err
	}
	err := os.Link(half, path)
	if errors.Is(err, fs.ErrExist) {
		return os.ReadFile(path)
	}
	return b, err
}
