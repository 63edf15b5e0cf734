package dynamodb

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// No tenant, owner, id or context can be made to look like another's.
func TestPartitionsAreApart(t *testing.T) {
	t.Parallel()
	names := []string{"", "a", "A", "-", "--", "-a", "%", "%2D", "%252D", "#", "a#b", "a#T#b", "%23", "a%23b", "ß", "ss", "T", "J", "C"}
	seen := map[string]string{}
	add := func(key string, of ...string) {
		t.Helper()
		what := strings.Join(of, "|")
		if other, ok := seen[key]; ok {
			t.Errorf("key %q: got both %s and %s", key, other, what)
		}
		seen[key] = what
	}
	for _, tenant := range names {
		for _, owner := range names {
			s := task.Scope{Tenant: tenant, Owner: owner}
			add(ownerKey(s), "owner", tenant, owner)
			for _, id := range names {
				add(taskPartition(task.Key{Scope: s, ID: id}), "task", tenant, owner, id)
				add(journalPartition(task.Key{Scope: s, ID: id}), "journal", tenant, owner, id)
				add(conversationPartition(s, id), "conversation", tenant, owner, id)
				add(contextKey(s, id), "context", tenant, owner, id)
			}
		}
	}
}

// A policy can hold a caller to its tenant: the tenant leads, and ends before a mark it can't hold.
func TestTenantLeads(t *testing.T) {
	t.Parallel()
	for tenant, want := range map[string]string{"": "-#", "acme": "acme#", "a-b": "a-b#", "a#b": "a%23b#", "-": "%2D#"} {
		k := task.Key{Scope: task.Scope{Tenant: tenant, Owner: "o"}, ID: "t1"}
		for _, key := range []string{taskPartition(k), journalPartition(k), conversationPartition(k.Scope, "c"), ownerKey(k.Scope), contextKey(k.Scope, "c")} {
			if !strings.HasPrefix(key, want) {
				t.Errorf("tenant %q: got key %q, want it to begin with %q", tenant, key, want)
			}
		}
	}
}

// The recovery index tells a task's key by its partition and owner.
func FuzzKeyOf(f *testing.F) {
	for _, s := range []string{"", "-", "%2D", "%252D", "a#b", "acme", "%", "#"} {
		f.Add(s, s, s)
	}
	f.Fuzz(func(t *testing.T, tenant, owner, id string) {
		if !utf8.ValidString(tenant + owner + id) {
			t.Skip()
		}
		want := task.Key{Scope: task.Scope{Tenant: tenant, Owner: owner}, ID: id}
		got, err := keyOf(taskPartition(want), owner)
		if err != nil || got != want {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	})
}

func TestKeyOfRefuses(t *testing.T) {
	t.Parallel()
	for _, partition := range []string{"", "a", "a#T#b"} {
		if k, err := keyOf(partition, "o"); err == nil {
			t.Errorf("%q: got %+v, want an error", partition, k)
		}
	}
}

// Sort keys are in the order that queries need.
func TestSortKeys(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli
	for name, keys := range map[string][]string{
		"events": {
			eventsFrom(1), eventsUpTo(1, "b"), partRow(eventsUpTo(1, "b"), "tag", 0), partRow(eventsUpTo(1, "b"), "tag", 1),
			eventsFrom(2), eventsUpTo(2, "a"), eventsUpTo(10, "a"), eventsUpTo(task.Latest, "z"), header,
		},
		"turns":  {partRow(apart, "tag", 0), turnRow(1), turnRow(2), turnRow(10), turnRow(task.Latest)},
		"places": {place(at(0), "b"), moment(9), place(at(9), "a"), place(at(9), "b"), moment(10), place(at(1<<40), "a"), lastPlace},
	} {
		if !slices.IsSorted(keys) {
			t.Errorf("%s: got %q, want them sorted", name, keys)
		}
	}
	if got := moment(-1); got != moment(0) {
		t.Errorf("before 1970: got %s, want %s", got, moment(0))
	}
}
