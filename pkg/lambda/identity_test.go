package lambda

import (
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"testing"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/access"
)

//
func TestIAM(t *testing.T) {
	t.Parallel()
	const (
		session = "arn:aws:sts::123456789012:assumed-role/Buyer/ann@example.com"
		role    = "arn:aws:sts::123456789012:assumed-role/Buyer"
		user    = "arn:aws:iam::123456789012:user/ops/Buyer"
	)
	for _, tt := range []struct {
		subject   Subject
		arn, want string
	}{
		{SubjectSession, session, session},
		{SubjectRole, session, role},
		{SubjectRole, "arn:aws-us-gov:sts::123456789012:assumed-role/Buyer/s", "arn:aws-us-gov:sts::123456789012:assumed-role/Buyer"},
		{SubjectSession, user, user},
		{SubjectRole, user, user},
		{SubjectRole, "arn:aws:iam::123456789012:user/assumed-role/x/y", "arn:aws:iam::123456789012:user/assumed-role/x/y"},
		{SubjectRole, "arn:aws:sts::123456789012:federated-user/Buyer", "arn:aws:sts::123456789012:federated-user/Buyer"},
		{SubjectRole, role, role},
	} {
		var e events.APIGatewayProxyRequest
		e.RequestContext.Identity.UserArn = tt.arn
		got, err := authenticate(t, IAM(tt.subject), e)
		if want := (access.Principal{Subject: tt.want, Method: "iam"}); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%s of %s: got %+v, %v, want %+v", tt.subject, tt.arn, got, err, want)
		}
	}
}

// SRV-05: without a caller there is no call; a header is not the gateway's word.
func TestIAMRefuses(t *testing.T) {
	t.Parallel()
	e := events.APIGatewayProxyRequest{MultiValueHeaders: map[string][]string{
		"X-GoLambdaProxy-ApiGw-Context": {`{"identity":{"userArn":"arn:aws:iam::123456789012:user/x"}}`},
	}}
	_, err := authenticate(t, IAM(SubjectSession), e)
	var refused *access.Unauthenticated
	if !errors.As(err, &refused) || refused.Challenge != challenge {
		t.Errorf("got %v, want a refusal with the challenge %s", err, challenge)
	}
}

// authenticate asks a for the caller of an event, as each door's handler does.
func authenticate(t *testing.T, a access.Authenticator, e events.APIGatewayProxyRequest) (p access.Principal, err error) {
	t.Helper()
	e.HTTPMethod, e.Path = "GET", "/"
	h := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { p, err = a.Authenticate(r) })
	if _, err := Buffered(h, quiet)(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	buffered := p
	if _, err := Streamed(h, quiet)(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	if !cmp.Equal(p, buffered) {
		t.Errorf("got %+v streamed and %+v buffered, want one caller", p, buffered)
	}
	return p, err
}

func TestGoldenEvent(t *testing.T) {
	t.Parallel()
	var e events.APIGatewayProxyRequest
	golden(t, "testdata/api-gateway.json", &e)
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := IAM(SubjectRole).Authenticate(r)
		if err != nil {
			t.Error(err)
		}
		json.NewEncoder(w).Encode([]any{r.Method, r.URL.String(), p.Subject, r.Header["A2a-Extensions"], r.RemoteAddr})
	})
	out, err := Buffered(h, quiet)(t.Context(), e)
	want := `["GET","https://q1w2e3r4t5.execute-api.eu-central-1.amazonaws.com/tasks/order%2F7?historyLength=0",` +
		`"arn:aws:sts::123456789012:assumed-role/Buyer",["https://example.com/a","https://example.com/b"],"198.51.100.7"]` + "\n"
	if err != nil || out.Body != want {
		t.Errorf("got %s, %v, want %s", out.Body, err, want)
	}
}

// golden reads an event as Lambda gives it.
func golden(t *testing.T, file string, event any) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, event); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
