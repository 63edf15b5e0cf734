package parameter

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// The kinds of references.
const (
	prefixSSM     = "ssm:"
	prefixSecrets = "secretsmanager:"
)

// Reader reads secrets by reference: ssm:<name of a parameter>, or secretsmanager:<id of a secret>.
// It is safe for concurrent use and remembers nothing.
type Reader struct{ ssm, secrets caller }

// NewReader reads secrets of an account.
func NewReader(cfg aws.Config) *Reader {
	return &Reader{ssm: newClient(cfg, ssm).call, secrets: newClient(cfg, secretsManager).call}
}

// IsReference reports whether s is of a form that [Reader.Read] takes.
func IsReference(s string) bool {
	name, ok := strings.CutPrefix(s, prefixSSM)
	if !ok {
		name, ok = strings.CutPrefix(s, prefixSecrets)
	}
	return ok && name != ""
}

// Read returns the value that ref refers to; empty: there is none. No error holds it.
func (r *Reader) Read(ctx context.Context, ref string) (value string, err error) {
	absent := "ParameterNotFound"
	if name, ok := strings.CutPrefix(ref, prefixSSM); ok {
		value, err = getParameter(ctx, r.ssm, name)
	} else if id, ok := strings.CutPrefix(ref, prefixSecrets); ok {
		absent = "ResourceNotFoundException"
		value, err = getSecret(ctx, r.secrets, id)
	} else {
		return "", fmt.Errorf("parameter: a reference is neither %s<name> nor %s<id>", prefixSSM, prefixSecrets)
	}
	if hasCode(err, absent) {
		return "", nil
	}
	return strings.TrimSpace(value), err // editors leave a line's end behind
}

func getParameter(ctx context.Context, call caller, name string, passing ...string) (string, error) {
	in := struct {
		Name           string
		WithDecryption bool
	}{name, true}
	var out struct{ Parameter struct{ Value string } }
	err := call(ctx, "GetParameter", in, &out, passing...)
	return out.Parameter.Value, err
}

func getSecret(ctx context.Context, call caller, id string) (string, error) {
	var out struct{ SecretString string }
	err := call(ctx, "GetSecretValue", struct{ SecretId string }{id}, &out)
	return out.SecretString, err
}
