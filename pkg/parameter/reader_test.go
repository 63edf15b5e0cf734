package parameter_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	"github.com/interlude-a2a/interlude/pkg/parameter"
)

// put stores a value as an operator would.
func put(t *testing.T, cfg aws.Config, target, body string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, *cfg.BaseEndpoint, bytes.NewReader([]byte(body)))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-amz-json-1.1")
	r.Header.Set("X-Amz-Target", target)
	service, _, _ := strings.Cut(strings.ToLower(strings.TrimPrefix(target, "Amazon")), ".")
	who, err := cfg.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", fmt.Sprintf("AWS4-HMAC-SHA256 Credential=%s/20260101/%s/%s/aws4_request, SignedHeaders=host, Signature=0", who.AccessKeyID, cfg.Region, service))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s", target, resp.Status)
	}
}

// secrets by reference, on both services; what is not there is none.
func TestReader(t *testing.T) {
	t.Parallel()
	e, err := emulator.Start(t.Context(), emulator.Options{Services: []string{"ssm", "secretsmanager"}})
	if err != nil {
		emulator.Shared(t) // skips without the tools
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	cfg := e.Account()
	put(t, cfg, "AmazonSSM.PutParameter", `{"Name":"/a/token","Type":"SecureString","Value":"one\n"}`)
	put(t, cfg, "secretsmanager.CreateSecret", `{"Name":"a/token","SecretString":"two","ClientRequestToken":"0123456789abcdef0123456789abcdef"}`)
	r := parameter.NewReader(cfg)
	for ref, want := range map[string]string{
		"ssm:/a/token": "one", "secretsmanager:a/token": "two", "ssm:/a/other": "", "secretsmanager:a/other": "",
	} {
		if got, err := r.Read(t.Context(), ref); got != want || err != nil {
			t.Errorf("%s: got %q, %v, want %q", ref, got, err, want)
		}
	}
}

func TestReaderFailures(t *testing.T) {
	t.Parallel()
	for ref, tt := range map[string]struct {
		play []string
		want string // in the error
	}{
		"ssm:/x":           {[]string{`400 {"__type":"AccessDeniedException","message":"arn:aws:iam::1:role/x"}`}, "AccessDeniedException"},
		"secretsmanager:x": {[]string{"lost", "lost", "lost"}, "GetSecretValue"},
		"/x":               {nil, "neither"},
		"":                 {nil, "neither"},
	} {
		cfg := awsconfig.New(awsconfig.Options{Region: "eu-central-1", Getenv: func(string) string { return "x" }})
		cfg.HTTPClient = &answers{play: tt.play}
		_, err := parameter.NewReader(cfg).Read(t.Context(), ref)
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "arn:") {
			t.Errorf("%q: got %v, want %q", ref, err, tt.want)
		}
		if got, want := parameter.IsReference(ref), tt.want != "neither"; got != want {
			t.Errorf("IsReference(%q) = %v", ref, got)
		}
	}
	if parameter.IsReference("ssm:") || parameter.IsReference("secretsmanager:") {
		t.Error("a reference to nothing is taken for one")
	}
}
