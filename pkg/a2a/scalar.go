package a2a

import (
	"encoding/base64"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"
)

// maxIntegerLiteral bounds how long an integer may be written other than in plain digits. Within
// it a float64 tells every literal from an integer.
const maxIntegerLiteral = 16

// parseInt32 reads an integer as ProtoJSON does: 1.0 and 1e2 are integers, 1.5 and " 1" are not.
func parseInt32(literal string) (int32, bool) {
	if !isNumber(literal) {
		return 0, false
	}
	if i, err := strconv.ParseInt(literal, 10, 32); err == nil {
		return int32(i), true
	}
	if len(literal) > maxIntegerLiteral {
		return 0, false
	}
	f, err := strconv.ParseFloat(literal, 64)
	if err != nil || f != math.Trunc(f) || f < math.MinInt32 || f > math.MaxInt32 {
		return 0, false
	}
	return int32(f), true
}

// isNumber reports whether s is a number of JSON's grammar, which knows no +1, .5, 0x1 or NaN, and
// nothing else, not even space.
func isNumber(s string) bool {
	const digits = "0123456789"
	return strings.TrimLeft(s, "-"+digits) != s && strings.TrimRight(s, digits) != s && json.Valid([]byte(s))
}

// timestampFormat is how timestamps are written: UTC, to the millisecond (SPEC-12).
const timestampFormat = "2006-01-02T15:04:05.000Z"

// parseTime reads an RFC 3339 timestamp with any offset, as UTC. Years 1 to 9999 and up to nine
// digits of a second exist.
func parseTime(s string) (time.Time, bool) {
	t, err := time.Parse(time.RFC3339Nano, s)
	if err != nil || fractionDigits(s) > 9 {
		return time.Time{}, false
	}
	t = t.UTC()
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, false
	}
	return t, true
}

func fractionDigits(s string) int {
	_, fraction, _ := strings.Cut(s, ".")
	return len(fraction) - len(strings.TrimLeft(fraction, "0123456789"))
}

// formatTime writes a timestamp; nothing for the zero time.
func formatTime(t time.Time) string {
	t = t.Truncate(time.Millisecond)
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(timestampFormat)
}

// parseBase64 reads standard or URL-safe base64, padded or not.
func parseBase64(s string) ([]byte, bool) {
	encoding := base64.StdEncoding
	if strings.ContainsAny(s, "-_") {
		encoding = base64.URLEncoding
	}
	if len(s)%4 != 0 {
		encoding = encoding.WithPadding(base64.NoPadding)
	}
	b, err := encoding.DecodeString(s)
	return b, err == nil
}
