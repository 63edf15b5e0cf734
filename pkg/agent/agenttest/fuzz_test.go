package agenttest

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// A script is text from outside. Whatever it is, parsing gives statements that can be played:
// none is dropped, and what play relies on holds.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", ";;", "hello", "say a; say b", "piece a  b", "message a", "fail a", "reject a", "crash",
		"sleep 1.5s", "sleep -1s", "artifact text a", `artifact data {"a":[1,null]}`, "artifact raw aGk=",
		"artifact raw ====", "artifact url https://example.com", "approve s/t why & ask a & connect b: c",
		"approve s/t\nx", "connect :", "ask \xff", "say\u00a0a",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		script := parse(message(a2a.Text(text)))
		want := 0
		for line := range strings.SplitSeq(text, ";") {
			if strings.TrimSpace(line) != "" {
				want++
			}
		}
		if len(script) != want {
			t.Fatalf("got %d statements, want %d", len(script), want)
		}
		for _, s := range script {
			checkStatement(t, s)
		}
	})
}

func checkStatement(t *testing.T, s statement) {
	t.Helper()
	if s.asks != nil {
		for _, a := range s.asks {
			checkAsk(t, a)
		}
		return
	}
	switch s.verb {
	case "say", "piece", "message", "fail", "reject":
		if s.text == "" {
			t.Errorf("got %s without text", s.verb)
		}
	case "crash":
	case "sleep":
		if d, err := time.ParseDuration(s.text); err != nil || d < 0 {
			t.Errorf("got sleep %q, want a duration", s.text)
		}
	case "artifact":
		part, err := content(s.text)
		if err != nil || isEmpty(part.Content) {
			t.Errorf("got artifact %q, error %v; want content (R-41)", s.text, err)
		}
	case "echo":
		again := parse(message(a2a.Text(s.text)))
		if diff := cmp.Diff([]statement{s}, again, cmp.AllowUnexported(statement{}, ask{})); diff != "" {
			t.Errorf("an echo parsed again (-want +got):\n%s", diff)
		}
	default:
		t.Errorf("got verb %q, which nothing plays", s.verb)
	}
}

func checkAsk(t *testing.T, a ask) {
	t.Helper()
	var ok bool
	switch a.verb {
	case "approve":
		ok = a.server != "" && a.tool != "" && !strings.Contains(a.server+a.tool, "/")
	case "ask":
		ok = a.text != ""
	case "connect":
		ok = a.app != "" && a.text != ""
	}
	if !ok {
		t.Errorf("got ask %+v, which lacks what it asks for", a)
	}
}

func isEmpty(c a2a.Content) bool {
	switch c := c.(type) {
	case a2a.Text:
		return c == ""
	case a2a.URL:
		return c == ""
	case a2a.Data:
		return len(c) == 0
	case a2a.Raw:
		return len(c) == 0
	}
	return true
}
