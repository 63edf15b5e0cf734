package crash

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// schedule names what a run met: its scenario, what its caller did, its cuts and the calls they fell on.
func schedule(s scenario, w *world) string {
	return fmt.Sprintf("%s %d %d: %s", s.name, s.cancelAt, s.answerAt, strings.Join(w.calls.hit, ", "))
}

// tally counts the distinct schedules that were played, by backend and class of calls.
type tally struct {
	mu  sync.Mutex
	met map[string]map[string]bool
}

var met = tally{met: map[string]map[string]bool{}}

// add takes a schedule up.
func (t *tally) add(b backend, s scenario, w *world) {
	t.mu.Lock()
	defer t.mu.Unlock()
	kind := b.name + "/scripts"
	if s.loop != nil {
		kind = b.name + "/loops/" + string(s.class)
	}
	if t.met[kind] == nil {
		t.met[kind] = map[string]bool{}
	}
	before := len(t.met[kind])
	t.met[kind][schedule(s, w)] = true
	if n := len(t.met[kind]); n > before && n%10_000 == 0 {
		fmt.Printf("crash: %s: %d schedules\n", kind, n) // a long run shows that it goes on
	}
}

func (t *tally) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var counts []string
	for _, kind := range slices.Sorted(maps.Keys(t.met)) {
		counts = append(counts, fmt.Sprintf("%s %d", kind, len(t.met[kind])))
	}
	return "distinct schedules: " + strings.Join(counts, ", ")
}
