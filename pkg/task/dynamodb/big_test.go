package dynamodb_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// mib is a text of almost a piece's limit.
var mib = strings.Repeat("interlude ", task.MaxPiece/10-100)

// However much a step holds, it is one transaction within DynamoDB's limits, which the strict
// client guards, and is read back as it was.
func TestBigSteps(t *testing.T) {
	t.Parallel()
	rows := func(n, size int) (all []task.Row) {
		for i := range n {
			all = append(all, task.Row{Name: fmt.Sprintf("%04d", i), Value: bytes.Repeat([]byte{byte(i)}, size)})
		}
		return all
	}
	events := func(n, size int) (all []task.Event) {
		for range n {
			all = append(all, said(size))
		}
		return all
	}
	for name, step := range map[string]task.Step{
		"a row of 1 MiB":            {Rows: rows(1, 1<<20)},
		"three events of 1 MiB":     {Events: events(3, len(mib))},
		"rows and events of 4 MiB":  {Rows: rows(8, 256<<10), Events: events(8, 256<<10)},
		"as many rows as get items": {Rows: rows(dynamodb.MaxRows, 1<<10)},
		"as many rows, big":         {Rows: rows(dynamodb.MaxRows-1, 66<<10)}, // one stands in the header
		"one more row":              {Rows: rows(dynamodb.MaxRows+1, 10)},
		"150 rows and events":       {Rows: rows(150, 100), Events: events(150, 100)},
		"150 big rows":              {Rows: rows(150, 8<<10)},
		"1000 events":               {Events: events(1000, 1000)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t)
			s := created(t, b.store, "t1").claim()
			s.step(task.Step{Rows: []task.Row{{Name: "small", Value: []byte("stands in the header")}}})
			b.take()
			s.step(step)
			if got := b.take(); !strings.Contains(got, besideHeader) {
				t.Errorf("got %s, want one transaction", got)
			}
			s.step(task.Step{Events: events(1, 1), Rows: rows(1, 1)}).check()
		})
	}
}

// Rows that stand in the header count too when they leave it with a step's own.
func TestInlineAndNewRows(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := created(t, b.store, "t1").claim()
	var inline, more task.Step
	for i := range dynamodb.MaxRows/2 + 1 {
		inline.Rows = append(inline.Rows, task.Row{Name: fmt.Sprint("a", i), Value: []byte("1")})
		more.Rows = append(more.Rows, task.Row{Name: fmt.Sprint("b", i), Value: make([]byte, 100)})
	}
	more.Events = []task.Event{said(dynamodb.MaxTail)} // relieves the header
	s.step(inline).check().step(more).check()
}

// A message of a mebibyte starts a task, and a turn of several ends one.
func TestBigMessages(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := accepted(t, b.store, "t1", mib).create().claim().check()
	turn := []a2a.Message{message("q", mib), message("q2", mib), message("a", mib)}
	s.commit(s.finishing(0, turn...)).check()
	next := created(t, b.store, "t2").claim()
	next.commit(next.finishing(1, message("q", "And?"))).check()

	got, err := b.store.Conversation(t.Context(), alice, "ctx", task.Latest)
	if err != nil {
		t.Fatalf("Conversation: %v", err)
	}
	diff(t, "conversation", task.Transcript{Version: 2, Messages: append(turn, message("q", "And?"))}, got)
}

// A checkpoint that is written again and again costs a reader its last version alone.
func TestReplacedPartsAreNotRead(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := created(t, b.store, "t1").claim()
	for i := range 5 {
		s.step(task.Step{Rows: []task.Row{{Name: "state", Value: bytes.Repeat([]byte{byte(i)}, 1<<20)}}})
	}
	b.take()
	for _, err := range b.store.Journal(t.Context(), s.rec.Key, task.AgentRows) {
		if err != nil {
			t.Fatalf("Journal: %v", err)
		}
	}
	if got, want := b.take(), "Get 1, Query 3"; got != want { // the row; its parts, of more than a page
		t.Errorf("journal: got %s, want %s", got, want)
	}
}

// A lost run writes no parts.
func TestNoPartsForARefusedStep(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := created(t, b.store, "t1").claim()
	c, err := task.Advance(s.rec, task.Step{Rows: []task.Row{{Name: "state", Value: make([]byte, 1<<20)}}}, s.write())
	if err != nil {
		t.Fatalf("Advance: %v", err)
	}
	s.claim()
	b.take()
	_, err = b.store.Commit(t.Context(), s.rec.Key, c)
	refused(t, "step of a lost run", err, s.rec)
	if got, want := b.take(), "Get 1"; got != want {
		t.Errorf("step of a lost run: got %s, want %s", got, want)
	}
}
