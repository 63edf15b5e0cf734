package memory

import (
	"cmp"
	"slices"
	"strings"
)

// order is an index: entries sorted by fields that do not change while an entry is in it.
type order struct {
	compare func(a, b *entry) int
	entries []*entry
}

func (o *order) add(e *entry) {
	i, _ := slices.BinarySearchFunc(o.entries, e, o.compare)
	o.entries = slices.Insert(o.entries, i, e)
}

// remove takes e out, if it is in.
func (o *order) remove(e *entry) {
	if i, found := slices.BinarySearchFunc(o.entries, e, o.compare); found {
		o.entries = slices.Delete(o.entries, i, i+1)
	}
}

// byStatus sorts the tasks of one scope by status time, then id.
func byStatus(a, b *entry) int {
	return cmp.Or(a.at.Compare(b.at), strings.Compare(a.key.ID, b.key.ID))
}

// byWake sorts tasks of all scopes by wake.
func byWake(a, b *entry) int {
	return cmp.Or(
		a.wake.Compare(b.wake),
		strings.Compare(a.key.ID, b.key.ID),
		strings.Compare(a.key.Tenant, b.key.Tenant),
		strings.Compare(a.key.Owner, b.key.Owner),
	)
}
