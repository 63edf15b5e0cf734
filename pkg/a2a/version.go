package a2a

import "strings"

// ProtocolVersion is the A2A version spoken here (WIRE-01): Major.Minor, patch ignored (SPEC-01).
const ProtocolVersion = "1.0"

// Names of the service parameters, as HTTP header fields (SPEC-01, SPEC-02).
const (
	HeaderVersion    = "A2A-Version"
	HeaderExtensions = "A2A-Extensions"
)

// Media types of the bindings (SPEC-16).
const (
	MediaTypeA2A  = "application/a2a+json"
	MediaTypeJSON = "application/json"
)

// Names of the standard protocol bindings as a card lists them (SRV-16).
const (
	BindingJSONRPC  = "JSONRPC"
	BindingHTTPJSON = "HTTP+JSON"
	BindingGRPC     = "GRPC"
)

// SupportedVersion reports whether the value of the version header is spoken here: 1.0, with any
// patch number or none. No version at all means 0.3, which is not (SPEC-01).
func SupportedVersion(version string) bool {
	patch, ok := strings.CutPrefix(strings.TrimSpace(version), ProtocolVersion)
	if !ok || patch == "" {
		return ok
	}
	digits, ok := strings.CutPrefix(patch, ".")
	return ok && digits != "" && strings.Trim(digits, "0123456789") == ""
}
