package peers

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// patience bounds the wait for the server and for each client.
const patience = 2 * time.Minute

// TestSDKs runs each SDK's client on each binding: INT-03 to INT-19, ANS-01 to
// ANS-08, SRV-16 and ERR-01 as others read them.
func TestSDKs(t *testing.T) {
	t.Parallel()
	python, node := os.Getenv("INTERLUDE_PYTHON"), os.Getenv("INTERLUDE_NODE")
	if python == "" || node == "" {
		if os.Getenv("INTERLUDE_PEERS") == "required" {
			t.Fatal("INTERLUDE_PYTHON and INTERLUDE_NODE are not set, want them from infra/tools/with.py")
		}
		t.Skip("no SDKs to test with: make test provides them")
	}
	url := startServer(t)
	for _, peer := range []struct{ name, interpreter, script string }{
		{"js", node, "js/peer.mjs"},
		{"python", python, "python/peer.py"},
	} {
		for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
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

// startServer builds the local system, starts it with the scripted agent and
// returns its address once it says that it listens.
func startServer(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "interlude")
	if out, err := exec.Command("go", "build", "-o", bin, "../../infra/local").CombinedOutput(); err != nil {
		t.Fatalf("building the local system: %v\n%s", err, out)
	}
	cmd := exec.Command(bin)
	cmd.Env = append(os.Environ(), "AGENT=test", "PORT=0", "DATA="+t.TempDir())
	log, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = w.CloseWithError(cmd.Wait())
		close(ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(patience):
			_ = cmd.Process.Kill()
		}
	})
	url := make(chan string, 1)
	go watch(log, url)
	select {
	case u := <-url:
		if !strings.HasPrefix(u, "http") {
			t.Fatalf("the local system ended before it listened:\n%s", u)
		}
		return u
	case <-time.After(patience):
		t.Fatalf("the local system did not say within %v where it listens", patience)
		return ""
	}
}

var address = regexp.MustCompile(`http://(?:localhost|127\.0\.0\.1|\[::1\]):[1-9][0-9]*`)

// watch sends the first address that a log names, else the whole log at its end.
// It goes on reading, so that the log's writer never blocks.
func watch(log io.Reader, url chan<- string) {
	var seen strings.Builder
	lines := bufio.NewScanner(io.TeeReader(log, &seen))
	for lines.Scan() {
		if found := address.FindString(lines.Text()); found != "" {
			url <- found
			_, _ = io.Copy(io.Discard, log)
			return
		}
	}
	url <- "log: " + seen.String()
}
