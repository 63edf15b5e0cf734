package a2a

import (
	"slices"
	"strings"
)

// MaxExtensions is how many extensions one call may activate.
const MaxExtensions = 100

// ParseExtensions reads the values of all A2A-Extensions headers of a call (SPEC-02): URIs
// separated by commas, each once, in order. Those beyond [MaxExtensions] are dropped, as unknown
// ones are ignored.
func ParseExtensions(values []string) []string {
	var uris []string
	for _, value := range values {
		for uri := range strings.SplitSeq(value, ",") {
			uri = strings.TrimSpace(uri)
			if uri == "" || slices.Contains(uris, uri) {
				continue
			}
			if len(uris) == MaxExtensions {
				return uris
			}
			uris = append(uris, uri)
		}
	}
	return uris
}

// FormatExtensions writes the value of an A2A-Extensions header.
func FormatExtensions(uris []string) string { return strings.Join(uris, ", ") }
