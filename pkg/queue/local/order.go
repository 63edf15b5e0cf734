package local

import "slices"

// hidden is a heap of messages: the one visible first, and of those the oldest, on top.
type hidden []*message

func (h hidden) Len() int { return len(h) }

func (h hidden) Less(i, j int) bool {
	if c := h[i].visible.Compare(h[j].visible); c != 0 {
		return c < 0
	}
	return h[i].seq < h[j].seq
}

func (h hidden) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *hidden) Push(x any) {
	m := x.(*message)
	m.index = len(*h)
	*h = append(*h, m)
}

func (h *hidden) Pop() any {
	last := len(*h) - 1
	m := (*h)[last]
	(*h)[last] = nil
	*h = (*h)[:last]
	return m
}

// turns are the visible messages by group, first come first served within one. Groups take turns.
type turns struct {
	waiting map[string][]*message
	order   []string // groups that wait, the next one first
}

func (t *turns) add(m *message) {
	g := m.poke.Group()
	if len(t.waiting[g]) == 0 {
		t.order = append(t.order, g)
	}
	t.waiting[g] = append(t.waiting[g], m)
}

// next removes and returns the message whose turn it is; nil when none is visible.
func (t *turns) next() *message {
	if len(t.order) == 0 {
		return nil
	}
	g := t.order[0]
	t.order = t.order[1:]
	m := t.waiting[g][0]
	if t.set(g, t.waiting[g][1:]) {
		t.order = append(t.order, g)
	}
	return m
}

func (t *turns) remove(m *message) {
	g := m.poke.Group()
	i := slices.Index(t.waiting[g], m)
	if !t.set(g, slices.Delete(t.waiting[g], i, i+1)) {
		i := slices.Index(t.order, g)
		t.order = slices.Delete(t.order, i, i+1)
	}
}

// set replaces what waits in a group and reports whether anything does.
func (t *turns) set(g string, waiting []*message) bool {
	if len(waiting) == 0 {
		delete(t.waiting, g)
		return false
	}
	t.waiting[g] = waiting
	return true
}
