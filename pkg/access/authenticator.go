package access

import "net/http"

// Authenticator tells who a request is for (SRV-05, SRV-25). Nobody is the zero Principal; an
// error that is an *[Unauthenticated] refuses the request before anything else is done.
// Implementations are safe for concurrent use.
type Authenticator interface {
	Authenticate(r *http.Request) (Principal, error)
}

// AuthenticatorFunc is a function as an [Authenticator].
type AuthenticatorFunc func(*http.Request) (Principal, error)

// Authenticate calls f.
func (f AuthenticatorFunc) Authenticate(r *http.Request) (Principal, error) { return f(r) }

// None is authentication switched off as a whole: everybody is [Local]. For local runs only.
var None Authenticator = AuthenticatorFunc(func(*http.Request) (Principal, error) { return Local, nil })

// Unauthenticated refuses a request. Challenge is the value of the WWW-Authenticate header, such
// as `Bearer realm="agents"`.
type Unauthenticated struct{ Challenge string }

func (*Unauthenticated) Error() string { return "access: unauthenticated" }
