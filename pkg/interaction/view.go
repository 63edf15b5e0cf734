package interaction

import (
	"maps"
	"slices"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// Hide returns m as a caller sees it that has not activated the extension: the text stays, the
// URI and its metadata go (INT-10, R-02). m itself is not changed.
func Hide(m a2a.Message) a2a.Message {
	if slices.Contains(m.Extensions, URI) {
		m.Extensions = slices.DeleteFunc(slices.Clone(m.Extensions), func(s string) bool { return s == URI })
		if len(m.Extensions) == 0 {
			m.Extensions = nil
		}
	}
	if _, ok := m.Metadata[URI]; ok {
		m.Metadata = maps.Clone(m.Metadata)
		delete(m.Metadata, URI)
		if len(m.Metadata) == 0 {
			m.Metadata = nil
		}
	}
	return m
}

// HideAll is t with every message it carries hidden: status and history, the callers' own
// included. t itself is not changed.
func HideAll(t a2a.Task) a2a.Task {
	if t.Status.Message != nil {
		t.Status.Message = new(Hide(*t.Status.Message))
	}
	t.History = slices.Clone(t.History)
	for i, m := range t.History {
		t.History[i] = Hide(m)
	}
	return t
}
