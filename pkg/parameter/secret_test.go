package parameter_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	"github.com/interlude-a2a/interlude/pkg/parameter"
)

// made once by whoever needs it first, the same for all, kept.
func TestSecret(t *testing.T) {
	t.Parallel()
	e, err := emulator.Start(t.Context(), emulator.Options{Services: []string{"ssm"}})
	if err != nil {
		emulator.Shared(t) // skips without the tools
		t.Fatal(err)
	}
	t.Cleanup(e.Stop)
	cfg := e.Account()
	got := make([][]byte, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			b, err := parameter.New(cfg, "/interlude/secret").Get(t.Context())
			if err != nil {
				t.Error(err)
			}
			got[i] = b
		})
	}
	wg.Wait()
	for _, b := range got {
		if len(b) != 32 || !bytes.Equal(b, got[0]) {
			t.Errorf("got %x, want the same 32 bytes for all: %x", b, got[0])
		}
	}
	if other, err := parameter.New(cfg, "/interlude/other").Get(t.Context()); err != nil || bytes.Equal(other, got[0]) {
		t.Errorf("another parameter: got %x, %v, want a secret of its own", other, err)
	}
}

// answers is a transport that plays answers in turn and keeps what it was asked.
type answers struct {
	play  []string // status, space, body; or "lost"
	asked []string
	url   string // of the last
}

func (a *answers) Do(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	a.url = r.URL.String()
	a.asked = append(a.asked, r.Header.Get("X-Amz-Target")+" "+string(body))
	next := a.play[0]
	a.play = a.play[1:]
	if next == "lost" {
		return nil, io.ErrUnexpectedEOF
	}
	status := map[string]int{"200": 200, "400": 400, "500": 500}[next[:3]]
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(next[4:]))}, nil
}

const value = `200 {"Parameter":{"Value":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="}}`

func TestSecretFailures(t *testing.T) {
	t.Parallel()
	absent := `400 {"__type":"com.amazonaws.ssm#ParameterNotFound"}`
	for name, tt := range map[string]struct {
		play []string
		want string // in the error; empty: success
	}{
		"there":            {[]string{value}, ""},
		"absent":           {[]string{absent, "200 {}", value}, ""},
		"made by another":  {[]string{absent, `400 {"__type":"ParameterAlreadyExists"}`, value}, ""},
		"lost answers":     {[]string{"lost", "500 oops", absent, "lost", `400 {"__type":"ParameterAlreadyExists"}`, value}, ""},
		"not seen at once": {[]string{absent, "200 {}", absent, absent, value}, ""},
		"never seen":       {[]string{absent, "200 {}", absent, absent, absent}, "ParameterNotFound"},
		"made by many":     {[]string{absent, `400 {"__type":"TooManyUpdates"}`, `400 {"__type":"ParameterAlreadyExists"}`, value}, ""},
		"throttled":        {[]string{`400 {"__type":"ThrottlingException"}`, value}, ""},
		"away":             {[]string{"lost", "lost", "lost"}, "GetParameter"},
		"denied":           {[]string{`400 {"__type":"AccessDeniedException","message":"arn:aws:iam::1:role/x may not"}`}, "AccessDeniedException"},
		"of a wrong size":  {[]string{`200 {"Parameter":{"Value":"c2hvcnQ="}}`}, "32 bytes"},
		"of another shape": {[]string{`200 []`}, "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			transport := &answers{play: tt.play}
			env := map[string]string{"AWS_ACCESS_KEY_ID": "id", "AWS_SECRET_ACCESS_KEY": "key"}
			cfg := awsconfig.New(awsconfig.Options{Region: "eu-central-1", Getenv: func(n string) string { return env[n] }})
			cfg.HTTPClient = transport
			s := parameter.New(cfg, "/interlude/secret")
			b, err := s.Get(t.Context())
			if tt.want == "" && (err != nil || len(b) != 32) || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
				t.Fatalf("got %x, %v, want error %q", b, err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "arn:") {
				t.Errorf("the error says too much: %v", err)
			}
			if len(transport.play) > 0 {
				t.Errorf("answers left over: %q", transport.play)
			}
			if tt.want != "" {
				transport.play = []string{value}
			}
			if b, err := s.Get(t.Context()); err != nil || len(b) != 32 {
				t.Errorf("asked again: got %x, %v", b, err)
			}
			for _, asked := range transport.asked {
				if strings.Contains(asked, `PutParameter`) && !strings.Contains(asked, `"Overwrite":false`) {
					t.Errorf("asked %s, want nothing overwritten", asked)
				}
			}
		})
	}
}

// The endpoint is its partition's own, and an emulator's address may end in a slash.
func TestEndpoints(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ region, endpoint, want string }{
		{"eu-central-1", "", "https://ssm.eu-central-1.amazonaws.com/"},
		{"us-gov-west-1", "", "https://ssm.us-gov-west-1.amazonaws.com/"},
		{"cn-north-1", "", "https://ssm.cn-north-1.amazonaws.com.cn/"},
		{"eu-central-1", "http://localhost:4566", "http://localhost:4566/"},
		{"eu-central-1", "http://localhost:4566/", "http://localhost:4566/"},
	} {
		transport := &answers{play: []string{value}}
		cfg := awsconfig.New(awsconfig.Options{Region: tt.region, Endpoint: tt.endpoint, Getenv: func(string) string { return "x" }})
		cfg.HTTPClient = transport
		if _, err := parameter.New(cfg, "/interlude/secret").Get(t.Context()); err != nil {
			t.Fatal(err)
		}
		if got := transport.url; got != tt.want {
			t.Errorf("%s, %q: got %s, want %s", tt.region, tt.endpoint, got, tt.want)
		}
	}
}
