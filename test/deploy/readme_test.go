package deploy

import (
	"encoding/json"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/infra/emulator"
)

var deployed = regexp.MustCompile("(?s)```sh\n(curl [^`]*--aws-sigv4[^`]*)```")

// readme makes the call of the README's section on deploying.
func readme(t *testing.T, ann caller) {
	if out, err := exec.Command("curl", "--help", "all").Output(); err != nil || !strings.Contains(string(out), "--aws-sigv4") {
		t.Skip("the call needs a curl that signs, which this machine lacks")
	}
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	m := deployed.FindSubmatch(b)
	if m == nil {
		t.Fatal("the README calls nothing that is deployed")
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", string(m[1]))
	cmd.Env = append(os.Environ(), "URL="+ann.url, "AWS_REGION="+emulator.Region,
		"AWS_ACCESS_KEY_ID="+ann.keys.AccessKeyID, "AWS_SECRET_ACCESS_KEY="+ann.keys.SecretAccessKey, "AWS_SESSION_TOKEN=")
	answer, err := cmd.Output()
	var out struct{ Task task }
	if err != nil || json.Unmarshal(answer, &out) != nil || out.Task.Status.State != "TASK_STATE_AUTH_REQUIRED" {
		t.Errorf("got %s, %v, want a task that waits", answer, err)
	}
}
