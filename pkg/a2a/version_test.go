package a2a

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// SPEC-01, R-29.
func TestSupportedVersion(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]bool{
		"1.0": true, "1.0.0": true, "1.0.1": true, "1.0.17": true, " 1.0 ": true,
		"": false, "0.3": false, "1": false, "1.": false, "1.0.": false, "1.1": false, "1.10": false, "1.00": false,
		"2.0": false, "99.0": false, "1.0.1.2": false, "1.0.x": false, "1.0-rc": false, "v1.0": false, "abc": false,
		"1.0, 1.1": false, "1.0.-1": false,
	} {
		if got := SupportedVersion(version); got != want {
			t.Errorf("SupportedVersion(%q): got %t, want %t", version, got, want)
		}
	}
}

// SPEC-02.
func TestExtensionsHeader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		values []string
		want   []string
	}{
		{"none", nil, nil},
		{"empty", []string{"", " , ,"}, nil},
		{"one", []string{"https://a/v1"}, []string{"https://a/v1"}},
		{"several headers, spaces, twice", []string{" a , b", "c,\ta"}, []string{"a", "b", "c"}},
		{"case matters", []string{"a,A"}, []string{"a", "A"}},
	}
	for _, tt := range tests {
		got := ParseExtensions(tt.values)
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: extensions differ (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff(got, ParseExtensions([]string{FormatExtensions(got)})); diff != "" {
			t.Errorf("%s: written and read differs (-want +got):\n%s", tt.name, diff)
		}
	}
	var many []string
	for i := range MaxExtensions + 5 {
		many = append(many, fmt.Sprint("x", i))
	}
	if got := ParseExtensions(many); len(got) != MaxExtensions {
		t.Errorf("got %d extensions, want %d", len(got), MaxExtensions)
	}
}

// WIRE-03.
func TestTaskStates(t *testing.T) {
	t.Parallel()
	tests := map[TaskState]struct{ terminal, interrupted bool }{
		TaskStateSubmitted: {}, TaskStateWorking: {},
		TaskStateInputRequired: {interrupted: true}, TaskStateAuthRequired: {interrupted: true},
		TaskStateCompleted: {terminal: true}, TaskStateFailed: {terminal: true},
		TaskStateCanceled: {terminal: true}, TaskStateRejected: {terminal: true},
	}
	for state, want := range tests {
		if got := state.Terminal(); got != want.terminal {
			t.Errorf("%s: got terminal %t, want %t", state, got, want.terminal)
		}
		if got := state.Interrupted(); got != want.interrupted {
			t.Errorf("%s: got interrupted %t, want %t", state, got, want.interrupted)
		}
	}
}
