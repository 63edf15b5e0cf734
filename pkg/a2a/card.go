package a2a

// AgentCard is what an agent publishes about itself (CARD-01). The order of fields is the
// proto's.
type AgentCard struct {
	Name                 string                    `json:"name"`
	Description          string                    `json:"description"`
	SupportedInterfaces  []AgentInterface          `json:"supportedInterfaces"`
	Provider             *AgentProvider            `json:"provider,omitempty"`
	Version              string                    `json:"version"`
	DocumentationURL     string                    `json:"documentationUrl,omitempty"`
	Capabilities         AgentCapabilities         `json:"capabilities"`
	SecuritySchemes      map[string]SecurityScheme `json:"securitySchemes,omitempty"`
	SecurityRequirements []SecurityRequirement     `json:"securityRequirements,omitempty"`
	DefaultInputModes    []string                  `json:"defaultInputModes"`
	DefaultOutputModes   []string                  `json:"defaultOutputModes"`
	Skills               []AgentSkill              `json:"skills"`
	Signatures           []AgentCardSignature      `json:"signatures,omitempty"`
	IconURL              string                    `json:"iconUrl,omitempty"`
}

// AgentInterface is one way to reach an agent.
type AgentInterface struct {
	URL             string `json:"url"`
	ProtocolBinding string `json:"protocolBinding"`
	Tenant          string `json:"tenant,omitempty"`
	ProtocolVersion string `json:"protocolVersion"`
}

// AgentProvider is who provides an agent.
type AgentProvider struct {
	URL          string `json:"url,omitempty"`
	Organization string `json:"organization"`
}

// AgentCapabilities says what an agent offers. The three booleans are always present (CARD-01).
type AgentCapabilities struct {
	Streaming         bool             `json:"streaming"`
	PushNotifications bool             `json:"pushNotifications"`
	Extensions        []AgentExtension `json:"extensions,omitempty"`
	ExtendedAgentCard bool             `json:"extendedAgentCard"`
}

// AgentExtension declares an extension of the protocol.
type AgentExtension struct {
	URI         string   `json:"uri"`
	Description string   `json:"description,omitempty"`
	Required    bool     `json:"required"`
	Params      Metadata `json:"params,omitempty"`
}

// AgentSkill is something an agent can do (WIRE-13).
type AgentSkill struct {
	ID                   string                `json:"id"`
	Name                 string                `json:"name"`
	Description          string                `json:"description"`
	Tags                 []string              `json:"tags"`
	Examples             []string              `json:"examples,omitempty"`
	InputModes           []string              `json:"inputModes,omitempty"`
	OutputModes          []string              `json:"outputModes,omitempty"`
	SecurityRequirements []SecurityRequirement `json:"securityRequirements,omitempty"`
}

// AgentCardSignature is a JSON Web Signature over a card (WIRE-12).
type AgentCardSignature struct {
	Protected string   `json:"protected"`
	Signature string   `json:"signature"`
	Header    Metadata `json:"header,omitempty"`
}

// SecurityRequirement names the schemes a call needs, all of them, each with its scopes (WIRE-11).
type SecurityRequirement struct {
	Schemes map[string]StringList `json:"schemes"`
}

// StringList is a list of strings as the proto writes it.
type StringList struct {
	List []string `json:"list"`
}
