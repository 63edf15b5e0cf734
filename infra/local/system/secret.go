package system

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// makeSecret writes the file whole or not at all: whoever asks at the same time sees no half of it.
func makeSecret(path string) ([]byte, error) {
	half, err := os.CreateTemp(filepath.Dir(path), "secret")
	if err != nil {
		return nil, err
	}
	defer os.Remove(half.Name())
	b := newSecret()
	_, err = half.Write(b)
	if err := errors.Join(err, half.Sync(), half.Close()); err != nil {
		return nil, err
	}
	err = os.Link(half.Name(), path)
	if errors.Is(err, fs.ErrExist) {
		return os.ReadFile(path)
	}
	return b, err
}
