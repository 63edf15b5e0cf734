package storetest

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Rows come by name, those of a prefix alone, the newest of each name, byte for byte.
func journal(t testing.TB, h Harness) {
	l := begin(t, h.Store, "t1").claim()
	binary := make([]byte, 256)
	for i := range binary {
		binary[i] = byte(i)
	}
	big := bytes.Repeat([]byte("0123456789abcdef"), 64<<10) // 1 MiB
	l.step(task.Step{Rows: []task.Row{
		{Name: "z", Value: binary}, {Name: "a/2", Value: []byte("old")}, {Name: "a/10", Value: nil}, {Name: "a", Value: big},
	}})
	l.step(task.Step{Rows: []task.Row{{Name: "a/2", Value: []byte("new")}, {Name: "ä", Value: []byte("x")}}})
	l.check()

	read := func(prefix string) []task.Row {
		var all []task.Row
		for row, err := range h.Store.Journal(t.Context(), l.rec.Key, prefix) {
			if err != nil {
				t.Fatalf("Journal: %v", err)
			}
			all = append(all, row)
		}
		return all
	}
	all := []task.Row{
		{Name: "agent/a", Value: big}, {Name: "agent/a/10"}, {Name: "agent/a/2", Value: []byte("new")},
		{Name: "agent/z", Value: binary}, {Name: "agent/ä", Value: []byte("x")},
	}
	for _, test := range []struct {
		prefix string
		want   []task.Row
	}{
		{"", all}, {"agent/", all}, {"agent/a", all[:3]}, {"agent/a/", all[1:3]}, {"agent/ä", all[4:]},
		{"answer/", nil}, {"agent/%", nil}, {"zzz", nil},
	} {
		got := read(test.prefix)
		if !slices.EqualFunc(got, test.want, func(a, b task.Row) bool {
			return a.Name == b.Name && bytes.Equal(a.Value, b.Value)
		}) {
			t.Errorf("rows under %q: got %s, want %s", test.prefix, names(got), names(test.want))
		}
	}
	for range h.Store.Journal(t.Context(), l.rec.Key, "") {
		break // whoever has enough may stop
	}
	l.finish().check()
}

func names(rows []task.Row) (names []string) {
	for _, r := range rows {
		names = append(names, fmt.Sprintf("%s (%d bytes)", r.Name, len(r.Value)))
	}
	return names
}
