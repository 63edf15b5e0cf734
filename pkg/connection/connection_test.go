package connection_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/connection"
)

var alice = access.Principal{Tenant: "acme", Subject: "arn:aws:sts::1:assumed-role/x/alice"}

// the settings' own tokens.
func TestStatic(t *testing.T) {
	t.Parallel()
	find := connection.Static(map[string]string{"github": "t"})
	for name, want := range map[string]string{"github": "t", "jira": ""} {
		if got, err := find(t.Context(), alice, name); got.Value != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", name, got.Value, err, want)
		}
	}
}

// R-55, TEN-07: a token stands under a name of tenant, owner and connection, which nobody leaves.
func TestTemplate(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		who        access.Principal
		connection string
		want, err  string
	}{
		{alice, "github", "ssm:/p/acme/" + ownerOf(alice) + "/github", ""},
		{access.Principal{Subject: "bob"}, "github", "ssm:/p/-/" + ownerOf(access.Principal{Subject: "bob"}) + "/github", ""},
		{alice, "../other", "", "letters"},
		{alice, "", "", "letters"},
		{alice, "a/b", "", "letters"},
		{access.Principal{Tenant: "a/b", Subject: "x"}, "github", "", "letters"},
		{access.Principal{Tenant: "{owner}", Subject: "x"}, "github", "", "letters"},
	} {
		var asked string
		find, err := connection.Template("ssm:/p/{tenant}/{owner}/{connection}", func(_ context.Context, name string) (string, error) {
			asked = name
			return "token", nil
		})
		if err != nil {
			t.Fatal(err)
		}
		got, err := find(t.Context(), tt.who, tt.connection)
		if asked != tt.want || (err != nil) != (tt.err != "") || err == nil && got.Value != "token" {
			t.Errorf("%v %q: asked for %q, %v, want %q", tt.who, tt.connection, asked, err, tt.want)
		}
	}
	for template, want := range map[string]string{"ssm:/p/{owner}": "{connection}", "ssm:/{conection}/{connection}": "braces"} {
		if _, err := connection.Template(template, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", template, err, want)
		}
	}
}

// ownerOf is what an operator computes with sha256sum.
func ownerOf(who access.Principal) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(who.Subject)))
}

// a broker is told for whom, and by whom, and told nothing else.
func TestBroker(t *testing.T) {
	t.Parallel()
	var asked connection.Asking
	var key, answer string
	status := http.StatusOK
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		key = r.Header.Get("Authorization")
		asked = connection.Asking{}
		json.NewDecoder(r.Body).Decode(&asked)
		w.WriteHeader(status)
		w.Write([]byte(answer))
	}))
	defer s.Close()
	find := connection.Broker(s.Client(), s.URL, func(context.Context) (string, error) { return "key", nil })
	for _, tt := range []struct {
		status      int
		answer      string
		want        string
		expires     bool
		err, secret string
	}{
		{200, `{"token":"t","expiresIn":300}`, "t", true, "", ""},
		{200, `{"token":" t\n","expiresIn":299.5}`, "t", true, "", ""},
		{200, `{"token":"t"}`, "t", false, "", ""},
		{200, `{}`, "", false, "", ""},
		{404, `no such token`, "", false, "", ""},
		{500, `boom secret`, "", false, "500", "boom"},
		{302, ``, "", false, "302", ""},
		{200, `"secret"`, "", false, "answer", "secret"},
		{200, `{"token":"` + strings.Repeat("x", 65<<10) + `"}`, "", false, "answer", "xxx"},
	} {
		status, answer = tt.status, tt.answer
		got, err := find(t.Context(), alice, "github")
		if got.Value != tt.want || got.Expires.IsZero() == tt.expires || (err == nil) != (tt.err == "") {
			t.Errorf("%d %.20s: got %+v, %v", tt.status, tt.answer, got, err)
		}
		if err != nil && (!strings.Contains(err.Error(), tt.err) || tt.secret != "" && strings.Contains(err.Error(), tt.secret)) {
			t.Errorf("%d: error %v", tt.status, err)
		}
		if want := (connection.Asking{Tenant: "acme", Owner: alice.Subject, Connection: "github"}); asked != want || key != "Bearer key" {
			t.Errorf("asked %+v by %q", asked, key)
		}
	}
}

// A broker whose own key cannot be had is not asked; one without a key is asked without.
func TestBrokerKey(t *testing.T) {
	t.Parallel()
	asked := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked++
		if _, ok := r.Header["Authorization"]; ok {
			t.Error("a key was sent")
		}
		w.WriteHeader(http.StatusNotFound)
	}))
	defer s.Close()
	broken := errors.New("broken")
	for _, want := range []error{nil, broken} {
		find := connection.Broker(s.Client(), s.URL, func(context.Context) (string, error) { return "", want })
		if _, err := find(t.Context(), alice, "github"); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	if asked != 1 {
		t.Errorf("asked %d times, want once", asked)
	}
}

// kept briefly, never past its own end, for each principal alone, and not from before a
// person said that the app is connected. What is not there is asked for each time.
func TestCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lookups, token := 0, connection.Token{}
		c := connection.NewCache(func(context.Context, access.Principal, string) (connection.Token, error) {
			lookups++
			return token, nil
		}, 0, nil)
		find := func(who access.Principal, name string, since time.Time, want int) {
			t.Helper()
			got, err := c.Token(t.Context(), who, name, since)
			if got != token.Value || err != nil || lookups != want {
				t.Errorf("got %q, %v after %d lookups, want %q after %d", got, err, lookups, token.Value, want)
			}
		}
		find(alice, "github", time.Time{}, 1) // none
		token.Value = "one"
		find(alice, "github", time.Time{}, 2)
		find(alice, "github", time.Time{}, 2)
		find(access.Principal{Subject: alice.Subject}, "github", time.Time{}, 3)
		find(access.Principal{Tenant: "acme", Subject: "bob"}, "github", time.Time{}, 4)
		find(alice, "jira", time.Time{}, 5)
		time.Sleep(30 * time.Second)
		find(alice, "github", time.Now().Add(-time.Second), 6) // connected meanwhile
		find(alice, "github", time.Now().Add(-time.Second), 6)
		time.Sleep(connection.DefaultKeep)
		token.Expires = time.Now().Add(10 * time.Second)
		find(alice, "github", time.Time{}, 7)
		time.Sleep(10 * time.Second)
		find(alice, "github", time.Time{}, 8)
	})
}

// A lookup that fails says so, and is made again.
func TestCacheFailure(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	c := connection.NewCache(func(context.Context, access.Principal, string) (connection.Token, error) {
		err := broken
		broken = nil
		return connection.Token{Value: "t"}, err
	}, 0, nil)
	if got, err := c.Token(t.Context(), alice, "github", time.Time{}); err == nil || got != "" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := c.Token(t.Context(), alice, "github", time.Time{}); err != nil || got != "t" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A cache is bounded.
func TestCacheBound(t *testing.T) {
	t.Parallel()
	lookups := 0
	c := connection.NewCache(func(context.Context, access.Principal, string) (connection.Token, error) {
		lookups++
		return connection.Token{Value: "t"}, nil
	}, time.Hour, nil)
	for n := range 1025 {
		c.Token(t.Context(), access.Principal{Subject: string(rune('a' + n))}, "github", time.Time{})
	}
	if c.Token(t.Context(), access.Principal{Subject: "a"}, "github", time.Time{}); lookups != 1026 {
		t.Errorf("%d lookups, want that of the first again", lookups)
	}
}
