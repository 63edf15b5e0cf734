package process

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// patience bounds the waits for a process to start and to end.
const patience = 2 * time.Minute

// Build builds the local system and returns the program's path.
func Build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "interlude")
	if out, err := exec.Command("go", "build", "-o", bin, "../../infra/local").CombinedOutput(); err != nil {
		t.Fatalf("building the local system: %v\n%s", err, out)
	}
	return bin
}

// Process is a running local system.
type Process struct {
	URL   string
	cmd   *exec.Cmd
	ended chan struct{}
}

// Start starts the program with the scripted agent on a free port, and waits until it says where
// it listens. It is stopped at the end of the test.
func Start(t *testing.T, bin, data string, env ...string) *Process {
	t.Helper()
	p := &Process{cmd: exec.Command(bin), ended: make(chan struct{})}
	p.cmd.Env = append(append(os.Environ(), "AGENT=test", "PORT=0", "GRPC_PORT=0", "DATA="+data), env...)
	log, w := io.Pipe()
	p.cmd.Stdout, p.cmd.Stderr = w, w
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = w.CloseWithError(p.cmd.Wait())
		close(p.ended)
	}()
	t.Cleanup(func() { p.stop(os.Interrupt) })
	url := make(chan string, 1)
	go watch(log, url)
	select {
	case p.URL = <-url:
		if !strings.HasPrefix(p.URL, "http") {
			t.Fatalf("the local system ended before it listened:\n%s", p.URL)
		}
	case <-time.After(patience):
		t.Fatalf("the local system did not say within %v where it listens", patience)
	}
	return p
}

// Kill ends the process at once, as kill -9 does, and waits until it is gone.
func (p *Process) Kill() { p.stop(os.Kill) }

func (p *Process) stop(s os.Signal) {
	_ = p.cmd.Process.Signal(s)
	select {
	case <-p.ended:
	case <-time.After(patience):
		_ = p.cmd.Process.Kill()
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

// Signal sends the process a signal, such as one that stops it or lets it go on.
func (p *Process) Signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}
