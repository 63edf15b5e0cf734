package peers

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/test/process"
)

// patience bounds the wait for each client.
const patience = 2 * time.Minute

// TestSDKs runs each SDK's client on each binding: INT-03 to INT-19, ANS-01 to
// ANS-08, SRV-10, SRV-16, R-22 and ERR-01 as others read them.
func TestSDKs(t *testing.T) {
	t.Parallel()
	python, node := os.Getenv("INTERLUDE_PYTHON"), os.Getenv("INTERLUDE_NODE")
	if python == "" || node == "" {
		if os.Getenv("INTERLUDE_PEERS") == "required" {
			t.Fatal("INTERLUDE_PYTHON and INTERLUDE_NODE are not set, want them from infra/tools/with.py")
		}
		t.Skip("no SDKs to test with: make test provides them")
	}
	url := process.Start(t, process.Build(t), t.TempDir()).URL
	for _, peer := range []struct{ name, interpreter, script string }{
		{"js", node, "js/peer.mjs"},
		{"python", python, "python/peer.py"},
	} {
		for _, binding := range []string{"JSONRPC", "HTTP+JSON", "GRPC"} {
			t.Run(peer.name+"/"+binding, func(t *testing.T) {
				t.Parallel()
				ctx, cancel := context.WithTimeout(t.Context(), patience)
				defer cancel()
				cmd := exec.CommandContext(ctx, peer.interpreter, peer.script, url, binding)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", peer.script, err, out)
				}
			})
		}
	}
}
