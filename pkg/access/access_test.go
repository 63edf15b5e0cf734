package access_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/access"
)

// only a subject makes somebody of a caller; whatever else is known of it does not.
func TestAnonymous(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		p    access.Principal
		want bool
	}{
		"nobody":       {access.Principal{}, true},
		"a tenant":     {access.Principal{Tenant: "acme"}, true},
		"rights":       {access.Principal{Scopes: []string{"send"}, Roles: []string{"admin"}}, true},
		"a method":     {access.Principal{Method: "jwt", Claims: map[string]any{"sub": "alice"}}, true},
		"a subject":    {access.Principal{Subject: "alice"}, false},
		"a local call": {access.Local, false},
	} {
		if got := tt.p.Anonymous(); got != tt.want {
			t.Errorf("%s: got anonymous %v, want %v", name, got, tt.want)
		}
	}
}

// with authentication switched off everybody is the subject local, whatever the
// request claims.
func TestNoneMakesEverybodyLocal(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]*http.Request{
		"bare":     request(""),
		"claiming": request("Bearer alice"),
	} {
		got, err := access.None.Authenticate(r)
		if err != nil {
			t.Fatalf("%s: got error %v, want none", name, err)
		}
		want := access.Principal{Subject: "local", Method: "none"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: principal (-want +got):\n%s", name, diff)
		}
	}
}

// SRV-05, SRV-25: a function sees the request itself, and its answer and its error stand.
func TestAuthenticatorFunc(t *testing.T) {
	t.Parallel()
	const challenge = `Bearer realm="agents"`
	var a access.Authenticator = access.AuthenticatorFunc(func(r *http.Request) (access.Principal, error) {
		subject, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok {
			return access.Principal{}, &access.Unauthenticated{Challenge: challenge}
		}
		return access.Principal{Subject: subject}, nil
	})

	got, err := a.Authenticate(request("Bearer alice"))
	if err != nil || got.Subject != "alice" {
		t.Errorf("got subject %q, error %v; want alice and none", got.Subject, err)
	}

	got, err = a.Authenticate(request(""))
	if !got.Anonymous() {
		t.Errorf("got principal %+v beside a refusal, want nobody", got)
	}
	var refused *access.Unauthenticated
	if !errors.As(err, &refused) || refused.Challenge != challenge {
		t.Errorf("got error %v, want a refusal with challenge %s", err, challenge)
	}
}

// a refusal is told from a failure, also from within another error, and keeps its
// challenge; the error's text does not give it.
func TestUnauthenticated(t *testing.T) {
	t.Parallel()
	refusal := &access.Unauthenticated{Challenge: `Bearer error="invalid_token"`}
	for name, tt := range map[string]struct {
		err  error
		want *access.Unauthenticated
	}{
		"refusal":         {refusal, refusal},
		"wrapped refusal": {fmt.Errorf("token: %w", refusal), refusal},
		"failure":         {errors.New("the issuer is away"), nil},
	} {
		var got *access.Unauthenticated
		errors.As(tt.err, &got)
		if got != tt.want {
			t.Errorf("%s: got refusal %v, want %v", name, got, tt.want)
		}
	}
	if got, want := refusal.Error(), "access: unauthenticated"; got != want {
		t.Errorf("got text %q, want %q", got, want)
	}
}

// Tasks keep whom they belong to as JSON: what is stored comes back as it was.
func TestPrincipalAsJSON(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		p    access.Principal
		want string
	}{
		"nobody": {access.Principal{}, `{}`},
		"local":  {access.Local, `{"subject":"local","method":"none"}`},
		"everything": {
			access.Principal{
				Tenant: "acme", Subject: "alice", Scopes: []string{"send"}, Roles: []string{"admin"},
				Method: "jwt", Claims: map[string]any{"iss": "https://id.example"},
			},
			`{"tenant":"acme","subject":"alice","scopes":["send"],"roles":["admin"],` +
				`"method":"jwt","claims":{"iss":"https://id.example"}}`,
		},
	} {
		b, err := json.Marshal(tt.p)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.want, string(b)); diff != "" {
			t.Errorf("%s: JSON (-want +got):\n%s", name, diff)
		}
		var back access.Principal
		if err := json.Unmarshal(b, &back); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tt.p, back); diff != "" {
			t.Errorf("%s: read back (-want +got):\n%s", name, diff)
		}
	}
}

func request(authorization string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "/", http.NoBody)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	return r
}
