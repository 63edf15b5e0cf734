package sqlite_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// killedEnv makes the test binary the process that TestKill kills.
const killedEnv = "INTERLUDE_TEST_KILLED_STORE"

// STORE-12: a process killed in the middle of its writes loses none that was acknowledged.
func TestKill(t *testing.T) {
	if path := os.Getenv(killedEnv); path != "" {
		writeUntilKilled(t, path)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "tasks.db")
	acknowledged := writeAndKill(t, path)

	db := openDB(t, path)
	var integrity string
	if err := db.QueryRowContext(t.Context(), "PRAGMA integrity_check").Scan(&integrity); err != nil || integrity != "ok" {
		t.Fatalf("integrity_check: got %q, %v, want ok", integrity, err)
	}
	s := open(t, path)
	for id, want := range acknowledged {
		r, events, err := s.Read(t.Context(), task.Key{Scope: scope, ID: id}, 0)
		if err != nil {
			t.Fatalf("Read of acknowledged task %s: %v", id, err)
		}
		if r.Events < want || uint64(len(events)) != r.Events {
			t.Errorf("task %s: got %d events of %d, want at least %d", id, len(events), r.Events, want)
		}
		rows := 0
		for range s.Journal(t.Context(), r.Key, "") {
			rows++
		}
		if steps := int(r.Events) - 3; r.Events > 3 && rows != steps { // message, submitted, working
			t.Errorf("task %s: got %d rows beside %d steps", id, rows, steps)
		}
	}
}

// writeUntilKilled writes task after task, and says of each write that it was acknowledged.
func writeUntilKilled(t *testing.T, path string) {
	s := open(t, path)
	said := func(r *task.Record) { fmt.Printf("acknowledged %s %d.\n", r.ID, r.Events) }
	for n := 0; ; n++ {
		r := mustCreate(t, s, fmt.Sprint("t", n))
		said(r)
		claiming := task.Claiming{Lease: task.Lease{ID: task.NewID(), Until: start.Add(lease)}, Now: start}
		r, err := s.Claim(t.Context(), r.Key, claiming, r.Status.State)
		if err != nil {
			t.Fatalf("Claim: %v", err)
		}
		said(r)
		for i := range 10 {
			m := a2a.Message{Parts: []a2a.Part{{Content: a2a.Text("Hello.")}}}
			step := task.Step{
				Rows:   []task.Row{{Name: fmt.Sprint(i), Value: make([]byte, 10_000)}},
				Events: []task.Event{{Message: &m}},
			}
			c, err := task.Advance(r, step, task.Write{ID: task.NewID(), At: start})
			if err != nil {
				t.Fatalf("Advance: %v", err)
			}
			if r, err = s.Commit(t.Context(), r.Key, c); err != nil {
				t.Fatalf("Commit: %v", err)
			}
			said(r)
		}
	}
}

// writeAndKill runs a process that writes, kills it without warning, and returns how many events
// of each task it reported.
func writeAndKill(t *testing.T, path string) map[string]uint64 {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKill$")
	child.Env = append(os.Environ(), killedEnv+"="+path)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	acknowledged := map[string]uint64{}
	lines := bufio.NewScanner(out)
	for n := 0; lines.Scan(); n++ { // to the end of what it said before it died
		if n == 200 {
			if err := child.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		var id string
		var events uint64
		if _, err := fmt.Sscanf(lines.Text(), "acknowledged %s %d.", &id, &events); err == nil { // else cut short
			acknowledged[id] = max(acknowledged[id], events)
		}
	}
	child.Wait() // tells that it was killed
	if len(acknowledged) < 10 {
		t.Fatalf("the process reported %d tasks, want at least 10", len(acknowledged))
	}
	return acknowledged
}
