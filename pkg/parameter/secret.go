// Package parameter reads secrets from SSM Parameter Store and Secrets Manager, and keeps the
// deployment's own in a parameter.
//
// functions/turn reads keys of models and tokens of tools as settings refer to them ([Reader]).
// functions/api asks for the deployment's secret when the first call needs it ([Secret]). It is a SecureString under the
// AWS-managed key, which costs nothing, and which CloudFormation can't make: so whoever finds it
// absent makes it, never over one that is there, and then reads what there is. Of many at once one
// makes it and all read the same. The calls are signed by hand: the client of SSM alone would
// make the function a third bigger.
package parameter

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// size of the secret in bytes.
const size = 32

// caller calls one operation of a service.
type caller func(ctx context.Context, operation string, in, out any, passing ...string) error

// Secret is a secret of 32 bytes, kept as base64 in one parameter.
type Secret struct {
	call caller
	name string

	mu    sync.Mutex
	value []byte
}

// New is the secret in the parameter of that name, whether or not it exists yet.
func New(cfg aws.Config, name string) *Secret {
	return &Secret{call: newClient(cfg, ssm).call, name: name}
}

// Get returns the secret, which is read once. A failure is not kept: the next call asks again.
func (s *Secret) Get(ctx context.Context) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.value != nil {
		return s.value, nil
	}
	value, err := s.read(ctx)
	if hasCode(err, "ParameterNotFound") {
		if err := s.make(ctx); err != nil && !hasCode(err, "ParameterAlreadyExists") {
			return nil, err
		}
		value, err = s.read(ctx, "ParameterNotFound") // a read may be behind the write
	}
	if err != nil {
		return nil, err
	}
	s.value = value
	return value, nil
}

func (s *Secret) read(ctx context.Context, passing ...string) ([]byte, error) {
	value, err := getParameter(ctx, s.call, s.name, passing...)
	if err != nil {
		return nil, err
	}
	b, err := base64.StdEncoding.DecodeString(value)
	if err != nil || len(b) != size {
		return nil, fmt.Errorf("parameter: %s does not hold %d bytes as base64", s.name, size)
	}
	return b, nil
}

func (s *Secret) make(ctx context.Context) error {
	b := make([]byte, size)
	rand.Read(b) // never fails
	in := struct {
		Name, Type, Value string
		Overwrite         bool
	}{s.name, "SecureString", base64.StdEncoding.EncodeToString(b), false}
	return s.call(ctx, "PutParameter", in, &struct{}{}, "TooManyUpdates") // of several that make it at once
}

// apiError is a refusal of a service. Its message is left out: it may name what is nobody's business.
type apiError struct {
	operation, code string
	status          int
}

func (e *apiError) Error() string {
	return fmt.Sprintf("parameter: %s: %s (HTTP %d)", e.operation, e.code, e.status)
}

func hasCode(err error, code string) bool {
	var refused *apiError
	return errors.As(err, &refused) && refused.code == code
}
