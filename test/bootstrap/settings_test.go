package bootstrap

import (
	"bytes"
	"errors"
	"maps"
	"os/exec"
	"strings"
	"testing"
)

// working are settings with which every function starts.
var working = map[string]string{
	"AWS_ENDPOINT_URL": "http://127.0.0.1:1", "TABLE": "tasks", "QUEUE_URL": "http://127.0.0.1:1/turns",
	"SECRET_PARAMETER": "/interlude/secret", "AUTHENTICATION": "none",
}

// R-57 and the settings of pkg/lambda: what is not set, or wrong, ends a function before it asks
// for an event, with one line that names it.
func TestSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		function, setting, value string
	}{
		{"api", "TABLE", ""},
		{"api", "QUEUE_URL", ""},
		{"api", "SECRET_PARAMETER", ""},
		{"api", "AWS_ENDPOINT_URL", "localhost"},
		{"api", "PUBLIC_URL", "agents.example.com\n"},
		{"api", "AUTHENTICATION", "nobody"},
		{"api", "IAM_SUBJECT", "user"},
		{"api", "RESPONSES", "slow"},
		{"api", "BLOCKING_WAIT", "1h"},
		{"api", "AGENT", "none"},
		{"turn", "TABLE", ""},
		{"turn", "QUEUE_URL", "turns"},
		{"turn", "LEASE", "5s"},
		{"turn", "SLICE", "15m"},
		{"turn", "RETENTION_DAYS", "-1"},
		{"turn", "AGENT", "none"},
		{"turn", "MODEL_ENDPOINTS", "openai"},
		{"turn", "NETWORKS", "here"},
		{"recover", "TABLE", ""},
		{"recover", "QUEUE_URL", "line\nfeed"},
		{"recover", "RECOVER_LIMIT", "0"},
		{"recover", "LOG_LEVEL", "loud"},
	} {
		settings := maps.Clone(working)
		settings[tt.setting] = tt.value
		refuses(t, tt.function, tt.setting, settings)
	}
	deployed := maps.Clone(working)
	delete(deployed, "AWS_ENDPOINT_URL")
	refuses(t, "api", "AUTHENTICATION", deployed) // none, outside emulated AWS
	coder := maps.Clone(working)
	coder["AGENT"] = "coder"
	for setting, value := range map[string]string{"DENIED_TOOLS": "tracker", "TOKENS": "ssm:/x/tokens"} {
		settings := maps.Clone(coder)
		settings[setting] = value
		refuses(t, "turn", setting, settings)
	}
}

// refuses holds that a function does not start, because of a setting.
func refuses(t *testing.T, function, setting string, settings map[string]string) {
	t.Helper()
	cmd := exec.Command(bootstrap(t, function))
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=127.0.0.1:1"} // where it would fail, in its way
	for k, v := range settings {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("%s with %s=%q: got %v, want exit status 1", function, setting, settings[setting], err)
	}
	line, rest, _ := strings.Cut(stderr.String(), "\n")
	if !strings.HasPrefix(line, function+": "+setting+" is ") || rest != "" || stdout.Len() > 0 {
		t.Errorf("%s with %s=%q: got %q and %q, want one line on stderr that names it", function, setting, settings[setting], &stdout, &stderr)
	}
}
