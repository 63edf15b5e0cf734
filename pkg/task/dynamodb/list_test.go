package dynamodb_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// walk are the ids of all tasks that a query selects, page by page.
func walk(t *testing.T, s task.Store, q task.Query) (ids []string) {
	t.Helper()
	for range 1000 {
		page, err := s.List(t.Context(), alice, q)
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		if len(page.Tasks) > q.Limit {
			t.Errorf("page: got %d tasks, want at most %d", len(page.Tasks), q.Limit)
		}
		if len(page.Tasks) == 0 && q.From.ID != "" && q.State == "" {
			t.Errorf("from %v on: got no tasks, though the page before said that more follow", q.From)
		}
		for _, l := range page.Tasks {
			ids = append(ids, l.Key.ID)
		}
		if page.Next == nil {
			return ids
		}
		q.From = *page.Next
	}
	t.Fatal("the list does not end")
	return nil
}

// Whatever a page ends at, a walk meets each task once, newest first: a match or what the filter
// left out, the last one looked at, or the last of all.
func TestListPageEnds(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	const n = 2*dynamodb.FilteredPage + 3
	var all, working []string // newest first
	for i := range n {
		s := accepted(t, b.store, fmt.Sprintf("t%03d", i), "Do it.")
		at := start.Add(time.Duration(i/2) * time.Millisecond) // two of a time
		s.rec.Status.Timestamp, s.now = at, at
		if s.create(); slices.Contains([]int{0, 1, 2, 100, 101, 102, 103, 104, 201, n - 1}, i) {
			s.now = at.Add(-time.Second)
			s.claim() // at a time that a task's creation has too
			working = append(working, s.rec.ID)
		}
		all = append(all, s.rec.ID)
	}
	slices.Reverse(all)
	slices.Reverse(working)
	for _, limit := range []int{1, 2, 9, 10, 11, 99, 100, 101} {
		diff(t, fmt.Sprint("working, by ", limit), working, walk(t, b.store, task.Query{Limit: limit, State: a2a.TaskStateWorking}))
	}
	for _, limit := range []int{7, n - 1, n, n + 1} {
		diff(t, fmt.Sprint("all, by ", limit), all, walk(t, b.store, task.Query{Limit: limit}))
	}
	from := task.Cursor{At: start.Add(30 * time.Millisecond), ID: "t060"} // one of two
	i := slices.Index(all, from.ID)
	diff(t, "from a task on", all[i+1:], walk(t, b.store, task.Query{Limit: 7, From: from}))
	page, err := b.store.List(t.Context(), alice, task.Query{Limit: 7, From: from, After: from.At.Add(time.Millisecond)})
	if err != nil || len(page.Tasks) > 0 || page.Next != nil {
		t.Errorf("from a task on that is older than what is asked for: got %+v, %v, want the last page, empty", page, err)
	}
	from.At = from.At.In(time.FixedZone("far", 3600))
	diff(t, "from a task on, in another zone", all[i+1:], walk(t, b.store, task.Query{Limit: 7, From: from}))
}

// A page of big statuses ends where DynamoDB's does, at 1 MB.
func TestListOfBigStatuses(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	var want []string
	big := message("m-end", strings.Repeat("w", task.MaxStatus-1000))
	for i := range 20 {
		s := created(t, b.store, fmt.Sprintf("t%02d", i)).claim()
		s.commit(must(task.Finish(s.rec, task.Ending{State: a2a.TaskStateFailed, Message: &big}, task.Step{}, nil, s.write())))
		want = append(want, s.rec.ID)
	}
	slices.Reverse(want)
	for _, state := range []a2a.TaskState{"", a2a.TaskStateFailed} {
		diff(t, "list", want, walk(t, b.store, task.Query{Limit: 30, State: state}))
	}
}
