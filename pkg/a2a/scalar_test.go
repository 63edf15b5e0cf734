package a2a

import (
	"testing"
	"time"
)

func TestParseInt32(t *testing.T) {
	t.Parallel()
	good := map[string]int32{
		"0": 0, "-0": 0, "7": 7, "-7": -7, "1.0": 1, "1e2": 100, "120E-1": 12, "2147483647": 2147483647,
		"-2147483648": -2147483648, "2147483647.0000": 2147483647,
	}
	for literal, want := range good {
		if got, ok := parseInt32(literal); !ok || got != want {
			t.Errorf("parseInt32(%q): got %d, %t, want %d", literal, got, ok, want)
		}
	}
	for _, literal := range []string{
		"", "-", "1.5", "2147483648", "-2147483649", "1e10", "1e999", "+1", ".5", "1.", "01", "0x1", "1_0", " 1", "1 ",
		"1\n", "NaN", "Infinity", "1e", "--1", "1-1", "true", "1.00000000000000000001", "[1]", `"1"`,
	} {
		if got, ok := parseInt32(literal); ok {
			t.Errorf("parseInt32(%q): got %d, want a refusal", literal, got)
		}
	}
}

// What is written is the zero time no more than what is read of it.
func TestFormatTime(t *testing.T) {
	t.Parallel()
	tests := []struct {
		at   time.Time
		want string
	}{
		{time.Time{}, ""},
		{time.Time{}.Add(500 * time.Microsecond), ""},
		{time.Time{}.Add(time.Millisecond), "0001-01-01T00:00:00.001Z"},
		{time.Date(2026, 1, 2, 3, 4, 5, 999_999_999, time.UTC), "2026-01-02T03:04:05.999Z"},
		{time.Date(1969, 12, 31, 23, 59, 59, 999_900_000, time.UTC), "1969-12-31T23:59:59.999Z"},
	}
	for _, tt := range tests {
		if got := formatTime(tt.at); got != tt.want {
			t.Errorf("formatTime(%v): got %q, want %q", tt.at, got, tt.want)
		}
	}
}
