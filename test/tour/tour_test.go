package tour

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/test/process"
)

// block is a fenced block of the README.
var block = regexp.MustCompile("(?s)```(sh|json)\n(.*?)\n```")

// what differs from one walk to the next
var (
	ids   = regexp.MustCompile(`(t1\.|eff_)?[0-9a-hjkmnp-tv-z]{26}(\.\d+)?`)
	times = regexp.MustCompile(`\d{4}-\d\d-\d\dT[\d:.]+Z`)
)

// TestTour runs each command of the tour and holds its output against the one the README shows:
// INT-03, INT-08, INT-10 to INT-16, INT-19 and ANS-01 to ANS-08 on both bindings, by an agent from its
// file (HARN-06).
func TestTour(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"bash", "curl", "python3"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the tour needs %s, which this machine lacks", tool)
		}
	}
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tour, ok := strings.Cut(string(readme), "<!-- tour")
	if !ok {
		t.Fatal("the README has no tour")
	}
	tour, _, _ = strings.Cut(tour, "\n## ")
	script, want := read(t, tour)
	url := os.Getenv("TOUR_URL") // of a system that runs already, such as make sam-local
	if url == "" {
		url = process.Start(t, process.Build(t), t.TempDir(), "AGENT=../../agents/coder").URL
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", strings.ReplaceAll(script, "http://localhost:8080", url))
	cmd.Dir = t.TempDir()
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, settle(string(out))); diff != "" {
		t.Errorf("the tour differs from what the README shows (-README +got):\n%s", diff)
	}
}

// read takes commands and outputs out of the tour.
func read(t *testing.T, tour string) (script, want string) {
	t.Helper()
	n := 0
	for _, m := range block.FindAllStringSubmatch(tour, -1) {
		if m[1] == "sh" {
			script += m[2] + "\n"
		} else {
			want += settle(m[2]) + "\n"
			n++
		}
	}
	if n < 6 {
		t.Fatalf("the tour shows %d outputs, want both bindings' three", n)
	}
	return script, want
}

// settle makes two walks alike.
func settle(out string) string {
	return times.ReplaceAllString(ids.ReplaceAllString(out, "${1}ID"), "TIME")
}
