package server_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/server"
	"github.com/interlude-a2a/interlude/pkg/task"
)

func (s *system) list(c server.CallContext, params string) a2a.ListTasksResponse {
	s.t.Helper()
	out := s.call(c, "ListTasks", params)
	if out.Err != nil {
		s.t.Fatalf("ListTasks %s: %v", params, out.Err)
	}
	return out.Result.(a2a.ListTasksResponse)
}

func ids(tasks []a2a.Task) (ids []string) {
	for _, t := range tasks {
		ids = append(ids, t.ID)
	}
	return ids
}

// SPEC-07, R-25, R-26: a walk through all tasks, newest first, with their count so far.
func TestListWalks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		var want []string
		for range 5 {
			want = append([]string{s.send(alice, "x").ID}, want...)
			time.Sleep(time.Second)
		}
		var got []string
		var totals []int32
		token := ""
		for {
			page := s.list(alice, `{"pageSize":2,"pageToken":"`+token+`"}`)
			got, totals = append(got, ids(page.Tasks)...), append(totals, page.TotalSize)
			if token = page.NextPageToken; token == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tasks (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int32{3, 5, 5}, totals); diff != "" {
			t.Errorf("totalSize (-want +got):\n%s", diff)
		}
		if got := s.list(alice, `{}`).PageSize; got != 50 {
			t.Errorf("got page size %d, want 50", got)
		}
	})
}

// SPEC-07: filters.
func TestListFilters(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		inContext := func(script, context string) string {
			return s.task(alice, "SendMessage", sendParams(script, func(r *a2a.SendMessageRequest) { r.Message.ContextID = context })).ID
		}
		old := inContext("x", "a")
		time.Sleep(time.Minute)
		since := s.get(alice, inContext("x", "b"))
		time.Sleep(time.Minute)
		waiting := inContext("ask Which?", "a")
		at := since.Status.Timestamp.Format("2006-01-02T15:04:05.000Z")
		for params, want := range map[string][]string{
			`{"contextId":"a"}`:                              {waiting, old},
			`{"contextId":"none"}`:                           nil,
			`{"status":"TASK_STATE_INPUT_REQUIRED"}`:         {waiting},
			`{"status":"TASK_STATE_UNSPECIFIED"}`:            {waiting, since.ID, old},
			`{"statusTimestampAfter":"` + at + `"}`:          {waiting, since.ID},
			`{"contextId":"a","status":"TASK_STATE_FAILED"}`: nil,
		} {
			if diff := cmp.Diff(want, ids(s.list(alice, params).Tasks)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", params, diff)
			}
		}
	})
}

// SPEC-07: artifacts are absent unless asked for, and then there even if empty; history as asked.
func TestListContent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		s.send(alice, "say hi")
		for params, want := range map[string]struct {
			artifacts, history bool
		}{
			`{}`:                         {false, false},
			`{"includeArtifacts":true}`:  {true, false},
			`{"historyLength":1}`:        {false, true},
			`{"historyLength":0}`:        {false, false},
			`{"includeArtifacts":false}`: {false, false},
		} {
			got := asJSON(s.list(alice, params))
			if strings.Contains(got, `"artifacts":[]`) != want.artifacts || strings.Contains(got, `"history"`) != want.history {
				t.Errorf("%s: got %s, want artifacts %t, history %t", params, got, want.artifacts, want.history)
			}
		}
	})
}

// a page ends before its contents outgrow what a process can hold, and a walk still meets every
// task once, one that is too large for any page too.
func TestListEndsLargePagesEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t, func(o *server.Options) { o.MaxPage = 10_000 })
		var want []string
		for _, size := range []int{1000, 12_000, 2000, 2000, 2000} { // each has it twice: its artifact is an echo
			want = append([]string{s.send(alice, strings.Repeat("x", size)).ID}, want...)
			time.Sleep(time.Second)
		}
		var got []string
		var sizes []int
		for token, more := "", true; more; more = token != "" {
			page := s.list(alice, `{"includeArtifacts":true,"historyLength":100,"pageToken":"`+token+`"}`)
			token = page.NextPageToken
			got, sizes = append(got, ids(page.Tasks)...), append(sizes, len(page.Tasks))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("tasks (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]int{2, 1, 1, 1}, sizes); diff != "" {
			t.Errorf("tasks a page (-want +got):\n%s", diff)
		}
		if got := len(s.list(alice, `{}`).Tasks); got != len(want) {
			t.Errorf("without contents: got %d tasks, want all %d", got, len(want))
		}
		for range 2 {
			s.send(alice, "say "+strings.Repeat("x", 6000))
			time.Sleep(time.Second)
		}
		if page := s.list(alice, `{}`); len(page.Tasks) != 1 || page.NextPageToken == "" {
			t.Errorf("of large statuses: got %d tasks, want 1 and more", len(page.Tasks))
		}
	})
}

// lagging is a store whose index still has tasks as working.
type lagging struct{ server.Store }

func (s lagging) List(ctx context.Context, scope task.Scope, q task.Query) (task.Page, error) {
	q.State = ""
	page, err := s.Store.List(ctx, scope, q)
	for i := range page.Tasks {
		page.Tasks[i].Status.State = a2a.TaskStateWorking
	}
	return page, err
}

// an index may lag, but no page says that it lists working tasks and shows one that has ended.
func TestListLeavesOutWhatWentOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t, func(o *server.Options) { o.Store = lagging{o.Store} })
		s.send(alice, "say hi")
		page := s.list(alice, `{"status":"TASK_STATE_WORKING","historyLength":1}`)
		if len(page.Tasks) != 0 || page.TotalSize != 0 {
			t.Errorf("got %s, want none", asJSON(page))
		}
		if page := s.list(alice, `{"historyLength":1}`); len(page.Tasks) != 1 || page.Tasks[0].Status.State != a2a.TaskStateCompleted {
			t.Errorf("got %s, want the task as it stands", asJSON(page))
		}
	})
}

// a page token serves its caller and its filters, as it was written.
func TestPageTokenIsBound(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newSystem(t)
		for range 3 {
			s.send(alice, "x")
			s.send(bob, "x")
		}
		token := s.list(alice, `{"pageSize":1}`).NextPageToken
		inTenant := alice
		inTenant.Principal.Tenant = "acme"
		for _, tt := range []struct {
			name   string
			c      server.CallContext
			params string
		}{
			{"another owner", bob, `{"pageToken":"` + token + `"}`},
			{"another tenant", inTenant, `{"pageToken":"` + token + `"}`},
			{"another filter", alice, `{"contextId":"c","pageToken":"` + token + `"}`},
			{"another state", alice, `{"status":"TASK_STATE_FAILED","pageToken":"` + token + `"}`},
			{"another time", alice, `{"statusTimestampAfter":"2026-01-01T00:00:00Z","pageToken":"` + token + `"}`},
			{"cut", alice, `{"pageToken":"` + token[:len(token)-2] + `"}`},
			{"changed", alice, `{"pageToken":"A` + flip(token) + `"}`},
			{"made up", alice, `{"pageToken":"bm8"}`},
			{"no base64", alice, `{"pageToken":"%%%"}`},
		} {
			e := s.call(tt.c, "ListTasks", tt.params).Err
			if e == nil || e.Code != a2a.CodeInvalidParams || e.Violations[0].Field != "pageToken" {
				t.Errorf("%s: got %v, want an invalid pageToken", tt.name, e)
			}
		}
		if got := len(s.list(alice, `{"pageSize":2,"pageToken":"`+token+`"}`).Tasks); got != 2 {
			t.Errorf("with another page size: got %d tasks, want 2", got)
		}
	})
}

// flip is all but the first character of a token, the last one changed.
func flip(token string) string {
	last := byte('A')
	if token[len(token)-1] == last {
		last = 'Q'
	}
	return token[1:len(token)-1] + string(last)
}
