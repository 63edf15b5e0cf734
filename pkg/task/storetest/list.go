package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// beginAt creates a task of alice's at a time.
func beginAt(t testing.TB, s task.Store, id, contextID string, at time.Time) *life {
	t.Helper()
	return accept(t, s, at, task.Acceptance{
		Key: task.Key{Scope: alice, ID: id}, ContextID: contextID, Message: text("m-"+id, "Do it."),
	}).create()
}

// list is the ids of all tasks of a query, page by page.
func list(t testing.TB, s task.Store, scope task.Scope, q task.Query) []string {
	t.Helper()
	var ids []string
	q.Limit = max(q.Limit, 1)
	for range 1000 {
		page, err := s.List(t.Context(), scope, q)
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		if len(page.Tasks) > q.Limit {
			t.Fatalf("List: got %d tasks, want at most %d", len(page.Tasks), q.Limit)
		}
		for _, l := range page.Tasks {
			ids = append(ids, l.Key.ID)
		}
		if page.Next == nil {
			return ids
		}
		q.From = *page.Next
	}
	t.Fatalf("List: no last page after %q", ids)
	return nil
}

// Newest status first; of one time, by id, descending. A page shows what the record says.
func listOrder(t testing.TB, h Harness) {
	beginAt(t, h.Store, "b", "ctx", start)
	beginAt(t, h.Store, "c", "ctx", start)
	beginAt(t, h.Store, "a", "ctx", start)
	beginAt(t, h.Store, "old", "ctx", start.Add(-time.Hour))
	first := beginAt(t, h.Store, "woken", "ctx", start.Add(-2*time.Hour))
	first.now = start
	first.claim().ask("q1")
	h.settle()
	diff(t, "order", []string{"woken", "c", "b", "a", "old"}, list(t, h.Store, alice, task.Query{Limit: 10}))

	page, err := h.Store.List(t.Context(), alice, task.Query{Limit: 1})
	if err != nil {
		t.Fatalf("List: %v", err)
	}
	diff(t, "page", task.Page{
		Tasks: []task.Listed{{Key: first.rec.Key, ContextID: "ctx", Status: first.rec.Status}},
		Next:  &task.Cursor{At: first.rec.Status.Timestamp, ID: "woken"},
	}, page)
	diff(t, "nobody's", nil, list(t, h.Store, task.Scope{Tenant: "acme", Owner: "nobody"}, task.Query{}))
}

func listFilters(t testing.TB, h Harness) {
	for i, id := range []string{"t0", "t1", "t2", "t3", "t4", "t5"} {
		l := beginAt(t, h.Store, id, []string{"even", "odd"}[i%2], start.Add(time.Duration(i)*time.Minute))
		if i >= 4 {
			l.claim()
		}
	}
	h.settle()
	minute3 := start.Add(3 * time.Minute)
	for _, test := range []struct {
		name  string
		query task.Query
		want  []string
	}{
		{"none", task.Query{}, []string{"t5", "t4", "t3", "t2", "t1", "t0"}},
		{"context", task.Query{ContextID: "even"}, []string{"t4", "t2", "t0"}},
		{"no such context", task.Query{ContextID: "eve"}, nil},
		{"state", task.Query{State: a2a.TaskStateWorking}, []string{"t5", "t4"}},
		{"state and context", task.Query{State: a2a.TaskStateSubmitted, ContextID: "odd"}, []string{"t3", "t1"}},
		{"after, inclusive", task.Query{After: minute3}, []string{"t5", "t4", "t3"}},
		{"after, by a nanosecond", task.Query{After: minute3.Add(1)}, []string{"t5", "t4"}},
		{"all", task.Query{After: minute3, State: a2a.TaskStateWorking, ContextID: "odd"}, []string{"t5"}},
	} {
		for _, limit := range []int{1, 2, 10} {
			test.query.Limit = limit
			diff(t, fmt.Sprintf("%s, pages of %d", test.name, limit), test.want, list(t, h.Store, alice, test.query))
		}
	}
}

// No task is missed or shown twice, whatever the size of the page, though many have one time.
func listPages(t testing.TB, h Harness) {
	var want []string
	for i := range 23 {
		id := fmt.Sprintf("t%02d", i)
		beginAt(t, h.Store, id, "ctx", start.Add(time.Duration(i/5)*time.Millisecond))
		want = append(want, id)
	}
	slices.Reverse(want)
	h.settle()
	for limit := 1; limit <= 24; limit++ {
		diff(t, fmt.Sprintf("pages of %d", limit), want, list(t, h.Store, alice, task.Query{Limit: limit}))
		diff(t, fmt.Sprintf("context, pages of %d", limit), want, list(t, h.Store, alice, task.Query{Limit: limit, ContextID: "ctx"}))
	}
}

// A walk shows every task that does not change meanwhile exactly once, though others overtake it.
func listMoving(t testing.TB, h Harness) {
	var lives []*life
	for i := range 12 {
		lives = append(lives, beginAt(t, h.Store, fmt.Sprintf("t%02d", i), "ctx", start.Add(time.Duration(i)*time.Second)))
	}
	h.settle()
	seen := map[string]int{}
	q := task.Query{Limit: 2}
	for n := 0; ; n++ {
		page, err := h.Store.List(t.Context(), alice, q)
		if err != nil {
			t.Fatalf("List: %v", err)
		}
		for _, l := range page.Tasks {
			seen[l.Key.ID]++
		}
		if page.Next == nil {
			break
		}
		q.From = *page.Next
		lives[n*2].now = start.Add(time.Hour) // an even one moves to the front
		lives[n*2].claim()
		h.settle()
	}
	for i, l := range lives {
		if i%2 == 1 && seen[l.rec.ID] != 1 || seen[l.rec.ID] > 1 {
			t.Errorf("%s was shown %d times", l.rec.ID, seen[l.rec.ID])
		}
	}
}

// A task that ended as a bare message leaves the lists.
func listBare(t testing.TB, h Harness) {
	l := begin(t, h.Store, "bare").claim()
	begin(t, h.Store, "listed")
	h.settle()
	diff(t, "before", []string{"bare", "listed"}, list(t, h.Store, alice, task.Query{}))
	word := text("m-word", "Done.")
	ending := task.Ending{State: a2a.TaskStateCompleted, Message: &word, Bare: true}
	l.commit(task.Finish(l.rec, ending, task.Step{}, nil, l.write())).check()
	h.settle()
	diff(t, "after", []string{"listed"}, list(t, h.Store, alice, task.Query{}))
	diff(t, "by context", []string{"listed"}, list(t, h.Store, alice, task.Query{ContextID: "ctx"}))
}

// Renewals and marks move no task.
func listRenewals(t testing.TB, h Harness) {
	old := begin(t, h.Store, "old").startPushes().claim()
	beginAt(t, h.Store, "new", "ctx", start.Add(time.Minute))
	old.renewTo(old.now.Add(time.Hour))
	if err := h.Store.Mark(t.Context(), old.rec.Key, old.rec.Revision, old.rec.LastStatus); err != nil {
		t.Fatalf("Mark: %v", err)
	}
	h.settle()
	diff(t, "order", []string{"new", "old"}, list(t, h.Store, alice, task.Query{}))
}

// A scope holds its own tasks alone, though another's tenant and owner, ids and contexts look the
// same.
func isolation(t testing.TB, h Harness) {
	scopes := []task.Scope{
		{Tenant: "a", Owner: "b"}, {Tenant: "b", Owner: "a"}, {Tenant: "", Owner: "b"}, {Tenant: "a", Owner: ""},
		{Tenant: "a", Owner: "b#c"}, {Tenant: "a#b", Owner: "c"}, {Tenant: "a/b", Owner: "c"}, {Tenant: "", Owner: "a#b#c"},
		{Tenant: "-", Owner: "b"}, {Tenant: "A", Owner: "B"}, {Tenant: "a", Owner: "b "}, {Tenant: "a%", Owner: "_"},
		{}, {Tenant: "a", Owner: "ß"}, {Tenant: "a", Owner: "ss"}, {Tenant: "a", Owner: strings.Repeat("b", 300)},
	}
	lives := make([]*life, len(scopes))
	for i, scope := range scopes {
		l := newLife(t, h.Store, scope, "t1", "ctx").create().claim()
		l.step(task.Step{Rows: []task.Row{{Name: "n", Value: fmt.Append(nil, i)}}})
		lives[i] = l.commit(l.complete(0, fmt.Sprint(i)))
	}
	h.settle()
	for i, l := range lives {
		l.check()
		diff(t, "rows", []string{fmt.Sprintf("agent/n=%d", i)}, rows(t, h.Store, l.rec.Key, ""))
		for _, q := range []task.Query{{Limit: 9}, {Limit: 9, ContextID: "ctx"}} {
			page, err := h.Store.List(t.Context(), l.rec.Scope, q)
			if err != nil {
				t.Fatalf("List: %v", err)
			}
			diff(t, "list", []task.Listed{{Key: l.rec.Key, ContextID: "ctx", Status: l.rec.Status}}, page.Tasks)
		}
		c := transcript(t, h.Store, l.rec.Scope, "ctx", task.Latest)
		if c.Version != 1 {
			t.Fatalf("conversation of %+v: got version %d, want 1", l.rec.Scope, c.Version)
		}
		diff(t, "said", fmt.Sprint(i), words(c.Messages[0]))
	}
}
