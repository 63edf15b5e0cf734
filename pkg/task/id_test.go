package task_test

import (
	"regexp"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// crockford is 128 bits in lower-case letters and digits that can't be taken for each other.
const crockford = `[0-9a-hjkmnp-tv-z]{26}`

// INT-04, ANS-10: what ids look like, and that 128 random bits are in them.
func TestIDs_Form(t *testing.T) {
	t.Parallel()
	r := &task.Record{Key: task.Key{ID: "t1.x"}, Born: "b"}
	tests := map[string]struct {
		id   string
		form string
	}{
		"random":  {task.NewID(), "^" + crockford + "$"},
		"task":    {task.NewTaskID(), `^t1\.` + crockford + "$"},
		"derived": {task.DerivedTaskID([]byte("secret"), task.Scope{Tenant: "t", Owner: "o"}, "key"), `^t1\.` + crockford + "$"},
		"effect":  {task.EffectID(r, 1, 2), "^eff_" + crockford + "$"},
	}
	for name, test := range tests {
		if !regexp.MustCompile(test.form).MatchString(test.id) {
			t.Errorf("%s: got %q, want it to match %s", name, test.id, test.form)
		}
	}
}

func TestNewID_Differs(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for range 1000 {
		seen[task.NewID()] = true
		seen[task.NewTaskID()] = true
	}
	if len(seen) != 2000 {
		t.Errorf("got %d ids of 2000", len(seen))
	}
}

// the same call finds its task, and nobody else's does, however alike the names.
func TestDerivedTaskID(t *testing.T) {
	t.Parallel()
	type call struct{ secret, tenant, owner, key string }
	id := func(c call) string {
		return task.DerivedTaskID([]byte(c.secret), task.Scope{Tenant: c.tenant, Owner: c.owner}, c.key)
	}
	calls := []call{
		{"secret", "acme", "alice", "key"},
		{"other", "acme", "alice", "key"},
		{"secret", "acme2", "alice", "key"},
		{"secret", "acme", "bob", "key"},
		{"secret", "acme", "alice", "key2"},
		{"secret", "acmea", "lice", "key"},
		{"secret", "acm", "ealice", "key"},
		{"secret", "acme", "alicek", "ey"},
		{"secret", "acme", "alic", "ekey"},
		{"secret", "", "acmealice", "key"},
		{"secret", "acmealice", "", "key"},
		{"secret", "acme", "", "alicekey"},
		{"secret", "acme", "alicekey", ""},
	}
	seen := map[string]call{}
	for _, c := range calls {
		if other, ok := seen[id(c)]; ok {
			t.Errorf("%v and %v have one id", c, other)
		}
		seen[id(c)] = c
	}
	for i, c := range seen {
		if again := id(c); again != i {
			t.Errorf("%v has the ids %s and %s", c, i, again)
		}
	}
}

// INT-04, R-40: the same whoever computes it; another for every step, index, task and birth.
func TestEffectID(t *testing.T) {
	t.Parallel()
	type place struct {
		id, born    string
		step, index int
	}
	id := func(p place) string {
		return task.EffectID(&task.Record{Key: task.Key{ID: p.id}, Born: p.born}, p.step, p.index)
	}
	places := []place{
		{"t1.x", "born", 1, 2}, {"t1.x", "born", 2, 1}, {"t1.x", "born", 1, 3}, {"t1.x", "born", 12, 0}, {"t1.x", "born", 0, 12},
		{"t1.y", "born", 1, 2}, {"t1.x", "born2", 1, 2}, {"t1.xb", "orn", 1, 2}, {"t1.", "xborn", 1, 2},
		{"t1.x", "born", 1, 256}, {"t1.x", "born", 256, 1},
	}
	seen := map[string]place{}
	for _, p := range places {
		if other, ok := seen[id(p)]; ok {
			t.Errorf("%v and %v have one id", p, other)
		}
		seen[id(p)] = p
	}
	s := working(t)
	before := task.EffectID(s.rec, 3, 1)
	if after := task.EffectID(s.later(lease*2).claim().rec, 3, 1); after != before {
		t.Errorf("another run computes %q, want %q", after, before)
	}
}
