package local_test

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/queue/local"
)

// killedEnv makes the test binary the process that TestKill kills.
const killedEnv = "INTERLUDE_TEST_KILLED_QUEUE"

// A process killed at any moment loses nothing that it reported as sent, and no attempt that it
// reported as received.
func TestKill(t *testing.T) {
	if path := os.Getenv(killedEnv); path != "" {
		reportUntilKilled(t, path)
		return
	}
	t.Parallel()
	path := filepath.Join(t.TempDir(), "queue.db")
	attempts := runAndKill(t, path)

	later := func() time.Time { return time.Now().Add(2 * time.Hour) } // all is visible again
	q, err := local.Open(openDB(t, path), local.Options{Now: later})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	if err := q.Send(t.Context(), poke("end"), 0); err != nil {
		t.Fatalf("Send: %v", err)
	}
	got := map[string]int{}
	for got["end"] == 0 {
		d := mustReceive(t, q, time.Hour)
		got[d.Poke.Key.ID] = d.Attempt
	}
	for id, n := range attempts {
		if got[id] < n+1 {
			t.Errorf("message %s: got attempt %d after %d before the kill", id, got[id], n)
		}
	}
}

// reportUntilKilled sends and receives, and says what it did after it did it.
func reportUntilKilled(t *testing.T, path string) {
	q, err := local.Open(openDB(t, path), local.Options{})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	for n := 0; ; n++ {
		mustSend(t, q, strconv.Itoa(n), 0)
		fmt.Println("sent", n)
		if n%3 == 0 {
			fmt.Println("received", mustReceive(t, q, time.Hour).Poke.Key.ID)
		}
	}
}

// runAndKill returns what was reported: the attempts of each message sent.
func runAndKill(t *testing.T, path string) map[string]int {
	t.Helper()
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestKill$")
	cmd.Env = append(os.Environ(), killedEnv+"="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	attempts := map[string]int{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		what, id, _ := strings.Cut(lines.Text(), " ")
		switch what {
		case "sent":
			attempts[id] = 0
		case "received":
			attempts[id]++
		default:
			t.Fatalf("the process said %q", lines.Text())
		}
		if len(attempts) == 50 {
			kill() // SIGKILL; what it still said is read and held against it
		}
	}
	cmd.Wait()
	if len(attempts) < 50 {
		t.Fatalf("the process ended after %d messages", len(attempts))
	}
	return attempts
}

func TestOpenRefusesBrokenRow(t *testing.T) {
	t.Parallel()
	db := openDB(t, filepath.Join(t.TempDir(), "queue.db"))
	if _, err := local.Open(db, local.Options{}); err != nil {
		t.Fatalf("Open: %v", err)
	}
	if _, err := db.Exec(`INSERT INTO queue_messages VALUES ('M', '{', 0, 0)`); err != nil {
		t.Fatal(err)
	}
	_, err := local.Open(db, local.Options{})
	if err == nil || !strings.Contains(err.Error(), "message M") {
		t.Errorf("Open: got %v, want an error that names the message", err)
	}
}
