package template

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Each checker misses what another finds. None of them calls AWS.
func TestCheckers(t *testing.T) {
	t.Parallel()
	bin := os.Getenv("INTERLUDE_SAM")
	if bin == "" && os.Getenv("INTERLUDE_PEERS") != "required" {
		t.Skip("INTERLUDE_SAM is not set; run under infra/tools/with.py")
	}
	for _, command := range []string{
		"sam validate --lint",
		"sam validate --config-env none",
		"cfn-lint template.yaml",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(command)
			cmd := exec.Command(filepath.Join(bin, args[0]), args[1:]...)
			cmd.Dir = filepath.Dir(path)
			cmd.Env = append(os.Environ(), "SAM_CLI_TELEMETRY=0", "AWS_DEFAULT_REGION=eu-central-1",
				"AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}
