// Package connection finds the bearer tokens of the apps that people have connected (R-55, TEN-07).
//
// A run asks for the token of a connection that its agent's file names, for the principal whose
// task it works on; where there is none, or the tool's server refuses it, the run asks a person to
// connect the app. Nothing of that is kept here: tokens stand where the deployment keeps them, in
// its settings ([Static]), in parameters or secrets by a template of their names ([Template]), or
// behind a broker of its own ([Broker]). A [Cache] remembers them briefly, and asks again after a
// person said that the app is connected.
//
// No error and no log holds a token. What callers send reaches a lookup only as the authenticated
// subject and tenant, never as a name of a parameter.
package connection

import (
	"context"
	"time"

	"github.com/interlude-a2a/interlude/pkg/access"
)

// Token is a bearer token. The zero value says that there is none.
type Token struct {
	Value   string
	Expires time.Time // zero: unknown
}

// Resolver finds the token of a connection for a principal.
type Resolver func(ctx context.Context, who access.Principal, connection string) (Token, error)

// Static are tokens of the settings, by connection, the same for all principals.
func Static(tokens map[string]string) Resolver {
	return func(_ context.Context, _ access.Principal, connection string) (Token, error) {
		return Token{Value: tokens[connection]}, nil
	}
}
