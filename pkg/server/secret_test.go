package server_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/server"
)

// the secret is asked for when a call needs it and not before; without it such a call fails,
// says nothing of why, and makes no task.
func TestSecretWhenNeeded(t *testing.T) {
	t.Parallel()
	for name, secret := range map[string]server.Secret{
		"away":      func(context.Context) ([]byte, error) { return nil, errors.New("parameter store is away") },
		"too short": server.Static(make([]byte, 31)),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := newSystem(t, func(o *server.Options) {
				o.Secret = func(ctx context.Context) ([]byte, error) { asked++; return secret(ctx) }
			})
			send := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"say hello"}]}}`
			s.task(server.CallContext{}, "SendMessage", send)
			s.task(server.CallContext{}, "SendMessage", send)
			if asked != 0 {
				t.Errorf("asked %d times for a secret that no call needs", asked)
			}
			before := s.counts().Creates
			for _, call := range []struct {
				c              server.CallContext
				method, params string
			}{
				{server.CallContext{IdempotencyKey: "k"}, "SendMessage", send},
				{server.CallContext{}, "ListTasks", `{"pageSize":1}`},
				{server.CallContext{}, "ListTasks", `{"pageToken":"eA"}`},
			} {
				err := s.refused(call.c, call.method, call.params, -32603)
				if strings.Contains(err.Error(), "parameter") || strings.Contains(err.Error(), "secret") {
					t.Errorf("%s: the error says too much: %v", call.method, err)
				}
			}
			if got := s.counts().Creates; got != before {
				t.Errorf("made %d tasks without the secret of their id", got-before)
			}
		})
	}
}
