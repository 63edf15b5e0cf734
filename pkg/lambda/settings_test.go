package lambda

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"

	"github.com/aws/aws-lambda-go/lambdacontext"
	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// least is an environment with nothing but what is required.
var least = map[string]string{
	"TABLE": "tasks", "QUEUE_URL": "https://sqs.eu-central-1.amazonaws.com/123456789012/turns", "SECRET_PARAMETER": "/x/secret",
}

func configOf(f Function, set map[string]string) (Config, error) {
	env := maps.Clone(least)
	maps.Copy(env, set)
	return ReadConfig(f, func(name string) string { return env[name] })
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	for f, want := range map[Function]Config{
		API: {
			SecretParameter: "/x/secret", Signed: true, Subject: SubjectSession, Streams: true, BlockingWait: 270 * time.Second,
			MaxMessage: 1 << 20, MaxParts: 1000,
			Agent: Scripted,
		},
		Turn:    {Lease: 30 * time.Second, Slice: 270 * time.Second, Agent: Scripted, DeniedTools: []string{}},
		Recover: {RecoverLimit: 10},
	} {
		want.Table, want.QueueURL = least["TABLE"], least["QUEUE_URL"]
		got, err := configOf(f, nil)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Config{})); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", f, err, diff)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	emulated := map[string]string{"AWS_ENDPOINT_URL": "http://127.0.0.1:4566", "AUTHENTICATION": "none"}
	for name, tt := range map[string]struct {
		f    Function
		set  map[string]string
		want func(Config) bool
	}{
		"level":            {API, map[string]string{"LOG_LEVEL": "warn"}, func(c Config) bool { return c.LogLevel == slog.LevelWarn }},
		"none, emulated":   {API, emulated, func(c Config) bool { return c.Authenticator() != nil && !c.Signed }},
		"none, sam":        {API, map[string]string{"AWS_SAM_LOCAL": "true", "AUTHENTICATION": "none"}, func(c Config) bool { return !c.Signed }},
		"role":             {API, map[string]string{"IAM_SUBJECT": "role"}, func(c Config) bool { return c.Subject == SubjectRole }},
		"buffer":           {API, map[string]string{"RESPONSES": "buffer"}, func(c Config) bool { return !c.Streams && c.BlockingWait == 25*time.Second }},
		"sam can't stream": {API, map[string]string{"AWS_SAM_LOCAL": "true", "RESPONSES": "stream"}, func(c Config) bool { return !c.Streams && c.BlockingWait == 25*time.Second }},
		"held calls":       {API, map[string]string{"HELD_CALLS": "on"}, func(c Config) bool { return c.HeldCalls }},
		"limits":           {API, map[string]string{"MAX_MESSAGE_BYTES": "4096", "MAX_MESSAGE_PARTS": "3"}, func(c Config) bool { return c.MaxMessage == 4096 && c.MaxParts == 3 }},
		"interfaces": {API, map[string]string{"INTERFACES": `[{"url":"a.example:443","protocolBinding":"GRPC"}]`}, func(c Config) bool { // SRV-17
			return len(c.Interfaces) == 1 && c.Interfaces[0].URL == "a.example:443" && c.Interfaces[0].ProtocolBinding == a2a.BindingGRPC
		}},
		"streams":           {GRPC, map[string]string{"MAX_STREAMS": "7"}, func(c Config) bool { return c.MaxStreams == 7 }},
		"wait":              {API, map[string]string{"BLOCKING_WAIT": "90s"}, func(c Config) bool { return c.BlockingWait == 90*time.Second }},
		"URL":               {API, map[string]string{"PUBLIC_URL": "https://a.example/b"}, func(c Config) bool { return c.PublicURL == "https://a.example/b" }},
		"lease, slice":      {Turn, map[string]string{"LEASE": "6s", "SLICE": "1m"}, func(c Config) bool { return c.Lease == 6*time.Second && c.Slice == time.Minute }},
		"retention":         {Turn, map[string]string{"RETENTION_DAYS": "1"}, func(c Config) bool { return c.Retention == 24*time.Hour }},
		"no retention":      {Turn, map[string]string{"RETENTION_DAYS": "0"}, func(c Config) bool { return c.Retention == 0 }},
		"limit":             {Recover, map[string]string{"RECOVER_LIMIT": "100"}, func(c Config) bool { return c.RecoverLimit == 100 }},
		"another's setting": {Recover, map[string]string{"RESPONSES": "wrong"}, func(c Config) bool { return !c.Streams }},
	} {
		if got, err := configOf(tt.f, tt.set); err != nil || !tt.want(got) {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
}

// A function that can't run as it is told does not start, and one line says why.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		f           Function
		name, value string
	}{
		{API, "TABLE", ""}, {Turn, "QUEUE_URL", ""}, {API, "SECRET_PARAMETER", ""},
		{API, "QUEUE_URL", "turns"}, {API, "PUBLIC_URL", "//x"}, {Recover, "AWS_ENDPOINT_URL", "localhost:4566"},
		{Turn, "LOG_LEVEL", "loud"}, {Turn, "LOG_LEVEL", "info+1"},
		{API, "AUTHENTICATION", "none"},
		{API, "AUTHENTICATION", "IAM"}, {API, "IAM_SUBJECT", "x"}, {API, "RESPONSES", "x\ny"},
		{API, "HELD_CALLS", "yes"}, {API, "MAX_MESSAGE_BYTES", "1048577"}, {API, "MAX_MESSAGE_PARTS", "0"}, {API, "BLOCKING_WAIT", "5m"}, {API, "BLOCKING_WAIT", "0s"}, {API, "BLOCKING_WAIT", "30"},
		{API, "INTERFACES", "a.example:443"}, {API, "INTERFACES", `[{"url":"a.example:443"}]`}, {API, "INTERFACES", `{}`}, {GRPC, "MAX_STREAMS", "-1"},
		{Turn, "LEASE", "5s"}, {Turn, "SLICE", "-1s"}, {Turn, "AGENT", "../other"}, {API, "AGENT", "Other"},
		{Turn, "RETENTION_DAYS", "-1"}, {Turn, "RETENTION_DAYS", "3651"}, {Turn, "RETENTION_DAYS", "0.5"},
		{Recover, "RECOVER_LIMIT", "0"},
		{API, "PUBLIC_URL", "https://a.example/?b=c"}, {API, "PUBLIC_URL", "https://a.example/?"}, {API, "PUBLIC_URL", "https://a.example/#b"},
		{API, "PUBLIC_URL", "https://me:secret@a.example"}, {API, "PUBLIC_URL", "https://a.example/b%2Fc"}, {API, "PUBLIC_URL", "https://:443"},
		{Turn, "TABLE", " "}, {Turn, "TABLE", "tasks\n"}, {API, "SECRET_PARAMETER", " /x"}, {API, "QUEUE_URL", "https://sqs.example/1/q "},
	} {
		_, err := configOf(tt.f, map[string]string{tt.name: tt.value})
		if err == nil || !strings.HasPrefix(err.Error(), tt.name+" is ") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s with %s=%q: got %v, want one line about it", tt.f, tt.name, tt.value, err)
		}
	}
	if _, err := configOf(API, map[string]string{"RESPONSES": "buffer", "BLOCKING_WAIT": "26s"}); err == nil {
		t.Error("a wait beyond a gateway that buffers: got no error")
	}
}

// an address of AWS itself is no emulator's.
func TestUnsignedInAWS(t *testing.T) {
	t.Parallel()
	for endpoint, want := range map[string]bool{
		"http://ministack:4566":      true,
		"http://amazonaws.com.local": true,
		"":                           false,
		"https://dynamodb.eu-central-1.amazonaws.com":                        false,
		"https://DynamoDB.eu-central-1.AmazonAWS.com.:443":                   false,
		"https://sqs.cn-north-1.amazonaws.com.cn":                            false,
		"https://dynamodb.eu-central-1.api.aws":                              false,
		"https://vpce-1-2.dynamodb.eu-central-1.vpce.amazonaws.com/anything": false,
	} {
		_, err := configOf(API, map[string]string{"AWS_ENDPOINT_URL": endpoint, "AUTHENTICATION": "none"})
		if got := err == nil; got != want {
			t.Errorf("%q: got %v, want a start: %t", endpoint, err, want)
		}
	}
}

func TestAuthenticator(t *testing.T) {
	t.Parallel()
	if p, err := (Config{}).Authenticator().Authenticate(nil); err != nil || p.Subject != access.Local.Subject {
		t.Errorf("unsigned: got %+v, %v, want %+v", p, err, access.Local)
	}
	if _, ok := (Config{Streams: true}).Handler(nil, Options{}).(StreamedHandler); !ok {
		t.Error("streams: got another handler")
	}
	if _, ok := (Config{}).Handler(nil, Options{}).(BufferedHandler); !ok {
		t.Error("buffers: got another handler")
	}
}

// what is above errors is written at every level, as an audit.
func TestAuditIsLogged(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	NewLog(&out, slog.LevelError).Log(t.Context(), server.LevelAudit, "this")
	if got := out.String(); !strings.Contains(got, `"level":"AUDIT","message":"this"`) {
		t.Errorf("got %q", got)
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := NewLog(&out, slog.LevelInfo).With("a", 1)
	ctx := lambdacontext.NewContext(context.Background(), &lambdacontext.LambdaContext{AwsRequestID: "r-1"})
	log.DebugContext(ctx, "not this")
	log.InfoContext(ctx, "this")
	var got map[string]any
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v:\n%s", err, &out)
	}
	delete(got, "timestamp")
	want := map[string]any{"level": "INFO", "message": "this", "a": 1.0, "requestId": "r-1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("line (-want +got):\n%s", diff)
	}
}
