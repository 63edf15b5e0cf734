package a2a

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
