package sqs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func TestParse(t *testing.T) {
	t.Parallel()
	want := queue.Poke{
		Key:  task.Key{Scope: task.Scope{Tenant: "acme", Owner: "ann"}, ID: "t1.a"},
		Hint: a2a.TaskStateWorking,
	}
	for name, body := range map[string]string{
		"as sent":       `{"key":{"tenant":"acme","owner":"ann","id":"t1.a"},"hint":"TASK_STATE_WORKING"}`,
		"newer":         `{"key":{"tenant":"acme","owner":"ann","id":"t1.a","x":1},"hint":"TASK_STATE_WORKING","y":{}}`,
		"typed by hand": "\n{ \"hint\": \"TASK_STATE_WORKING\", \"key\": {\"id\": \"t1.a\", \"owner\": \"ann\", \"tenant\": \"acme\"} }\n",
	} {
		got, err := Parse(body)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", "secret", `{"key":{"id":"secret"`, `{"key":{"id":"secret"}} more`,
		`"secret"`, `["secret"]`, `{"key":"secret"}`, `{"key":{"id":1}}`,
		`null`, `{}`, `{"key":{"id":"","owner":"secret"}}`, `{"hint":"TASK_STATE_WORKING"}`,
	} {
		p, err := Parse(body)
		if err == nil || p != (queue.Poke{}) {
			t.Errorf("Parse(%q): got %+v, %v, want no poke and an error", body, p, err)
			continue
		}
		if strings.Contains(err.Error(), "secret") {
			t.Errorf("Parse(%q): the error %q repeats the body", body, err)
		}
	}
}

// A body arrives as it was sent, through all that SQS refuses in one.
func FuzzParse(f *testing.F) {
	f.Add(`{"key":{"tenant":"acme","owner":"ann","id":"t1.a"},"hint":"TASK_STATE_WORKING"}`)
	f.Add(`{"key":{"id":"\u0000\ufffe\uffff\ud800"}}`)
	f.Add(`{"key":{"id":""}}`)
	f.Fuzz(func(t *testing.T, in string) {
		p, err := Parse(in)
		if err != nil {
			return
		}
		sent, err := body(p)
		if err != nil {
			t.Fatalf("body(%+v): %v", p, err)
		}
		if i := strings.IndexFunc(sent, refused); i >= 0 {
			t.Fatalf("the body %q has a character at %d that SQS refuses", sent, i)
		}
		if got, err := Parse(sent); err != nil || got != p {
			t.Fatalf("Parse(%q): got %+v, %v, want %+v", sent, got, err, p)
		}
	})
}

// refused reports whether SQS refuses a body with r: it takes what XML 1.0 does.
func refused(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == '\ufffe' || r == '\uffff'
}
