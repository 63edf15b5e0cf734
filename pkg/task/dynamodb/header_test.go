package dynamodb_test

import (
	"fmt"
	"strconv"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// header is a task's header as it is stored.
func (b *bench) header(t testing.TB, k task.Key) values {
	t.Helper()
	out, err := b.client.GetItem(t.Context(), &sdk.GetItemInput{TableName: &b.table, Key: values{
		"pk": &types.AttributeValueMemberS{Value: dynamodb.TaskPartition(k)},
		"sk": &types.AttributeValueMemberS{Value: dynamodb.HeaderKey},
	}})
	if err != nil {
		t.Fatalf("GetItem: %v", err)
	}
	return out.Item
}

func number(t testing.TB, i values, name string) int {
	t.Helper()
	v, ok := i[name].(*types.AttributeValueMemberN)
	if !ok {
		t.Fatalf("attribute %s: got %v, want a number", name, i[name])
	}
	n, err := strconv.Atoi(v.Value)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

const (
	intoHeader     = "Update 1"
	besideHeader   = "Transact 1"
	relievesHeader = "Transact 1, Update 1"
)

// Events go into the header up to its bound, and all leave it beyond that (STORE-04).
func TestTailBound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for beyond, want := range map[int]string{-1: intoHeader, 0: intoHeader, 1: relievesHeader} {
		s := created(t, b.store, fmt.Sprint("t", beyond)).claim()
		before := number(t, b.header(t, s.rec.Key), "tailSize")
		s.step(task.Step{Events: []task.Event{said(1)}})
		size := number(t, b.header(t, s.rec.Key), "tailSize")
		b.take()
		s.step(task.Step{Events: []task.Event{said(1 + dynamodb.MaxTail - size - (size - before) + beyond)}})
		if got := b.take(); got != want {
			t.Errorf("event that ends at the bound %+d: got %s, want %s", beyond, got, want)
		}
		left := number(t, b.header(t, s.rec.Key), "tailSize")
		if full := dynamodb.MaxTail + beyond; beyond <= 0 && left != full || beyond > 0 && left != 0 {
			t.Errorf("event that ends at the bound %+d: the tail has %d bytes", beyond, left)
		}
		s.check()
		s.step(task.Step{Events: []task.Event{said(1), said(dynamodb.MaxTail / 2)}}).check()
	}
}

// Journal rows do the same, by a bound of their own.
func TestInlineBound(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	row := func(name string, size int) task.Step {
		return task.Step{Rows: []task.Row{{Name: name, Value: make([]byte, size-len(task.AgentRows)-len(name))}}}
	}
	const first = 100
	for beyond, want := range map[int]string{-1: intoHeader, 0: intoHeader, 1: relievesHeader} {
		s := created(t, b.store, fmt.Sprint("second", beyond)).claim().step(row("a", first))
		b.take()
		s.step(row("b", dynamodb.MaxInline-first+beyond))
		if got := b.take(); got != want {
			t.Errorf("second row, at the bound %+d: got %s, want %s", beyond, got, want)
		}
		s.check().step(row("a", first)).check()
	}
	for beyond, want := range map[int]string{-1: intoHeader, 0: intoHeader, 1: besideHeader} {
		s := created(t, b.store, fmt.Sprint("only", beyond)).claim()
		b.take()
		s.step(row("a", dynamodb.MaxInline+beyond))
		if got := b.take(); got != want {
			t.Errorf("only row, at the bound %+d: got %s, want %s", beyond, got, want)
		}
		s.check().step(row("a", first)).check()
	}
}

// The newest row of a name counts, wherever the older ones stand: in the header, beside it, in
// parts, in a batch.
func TestRowsMove(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	s := created(t, b.store, "t1").claim()
	a := func(size int) task.Row {
		return task.Row{Name: "a", Value: fmt.Append(make([]byte, size), s.rec.Revision)}
	}
	many := func() task.Step {
		step := task.Step{Rows: []task.Row{a(1)}}
		for n := range dynamodb.MaxRows {
			step.Rows = append(step.Rows, task.Row{Name: fmt.Sprint("n", n)})
		}
		return step
	}
	small, beside, inParts := 1, dynamodb.MaxInline, dynamodb.MaxBody+1
	for _, size := range []int{small, beside, small, inParts, beside, small, small, inParts, inParts, small, beside} {
		s.step(task.Step{Rows: []task.Row{a(size)}}).check()
	}
	s.step(many()).check().step(task.Step{Rows: []task.Row{a(small)}}).check()
	s.step(task.Step{Events: []task.Event{said(dynamodb.MaxTail)}}).check() // relieves the header
	s.step(many()).check().step(task.Step{Rows: []task.Row{a(inParts)}}).check().step(many()).check()
}

// A step may name a row twice, and name it as it likes (a path of an update may not overlap
// another; a path's dots, and DynamoDB's reserved words, mean nothing here).
func TestRowNames(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	for _, size := range []int{1, dynamodb.MaxInline} {
		s := created(t, b.store, fmt.Sprint("t", size)).claim()
		value := make([]byte, size)
		s.step(task.Step{Rows: []task.Row{
			{Name: "a", Value: []byte("first")}, {Name: "a", Value: value}, {Name: "a.b[0]"}, {Name: "#row0"},
			{Name: ":v1"}, {Name: "a#b#0000"}, {Name: "\U0010FFFF~"}, {Name: "rows"}, {Name: " "}, {Name: "\x00"},
		}}).check()
	}
	s := created(t, b.store, "bad").claim()
	for _, name := range []string{"\xff", string(make([]byte, dynamodb.MaxName))} {
		c, err := task.Advance(s.rec, task.Step{Rows: []task.Row{{Name: "a"}}}, s.write())
		if err != nil {
			t.Fatalf("Advance: %v", err)
		}
		c.Rows[0].Name = task.AgentRows + name // which the rules refuse
		if _, err := b.store.Commit(t.Context(), s.rec.Key, c); err == nil {
			t.Errorf("row %.10q: got no error", name)
		}
	}
	s.check()
}
