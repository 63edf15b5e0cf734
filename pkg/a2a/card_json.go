package a2a

// MarshalJSON implements [json.Marshaler].
func (a AgentCard) MarshalJSON() ([]byte, error) {
	type fields AgentCard
	a.SupportedInterfaces = orEmpty(a.SupportedInterfaces)
	a.DefaultInputModes = orEmpty(a.DefaultInputModes)
	a.DefaultOutputModes = orEmpty(a.DefaultOutputModes)
	a.Skills = orEmpty(a.Skills)
	return Marshal(fields(a))
}

// MarshalJSON implements [json.Marshaler].
func (a AgentSkill) MarshalJSON() ([]byte, error) {
	type fields AgentSkill
	a.Tags = orEmpty(a.Tags)
	return Marshal(fields(a))
}

// MarshalJSON implements [json.Marshaler].
func (s StringList) MarshalJSON() ([]byte, error) {
	type fields StringList
	s.List = orEmpty(s.List)
	return Marshal(fields(s))
}

// MarshalJSON implements [json.Marshaler].
func (s SecurityRequirement) MarshalJSON() ([]byte, error) {
	type fields SecurityRequirement
	s.Schemes = orEmptyMap(s.Schemes)
	return Marshal(fields(s))
}

func (a *AgentCard) read(o *object) {
	a.Name = o.text("name")
	a.Description = o.text("description")
	a.SupportedInterfaces = list[AgentInterface](o, "supportedInterfaces")
	a.Provider = child[AgentProvider](o, "provider")
	a.Version = o.text("version")
	a.DocumentationURL = o.text("documentationUrl")
	embed(o, "capabilities", &a.Capabilities)
	a.SecuritySchemes = byName[SecurityScheme](o, "securitySchemes")
	a.SecurityRequirements = list[SecurityRequirement](o, "securityRequirements")
	a.DefaultInputModes = o.texts("defaultInputModes")
	a.DefaultOutputModes = o.texts("defaultOutputModes")
	a.Skills = list[AgentSkill](o, "skills")
	a.Signatures = list[AgentCardSignature](o, "signatures")
	a.IconURL = o.text("iconUrl")
}

func (a *AgentInterface) read(o *object) {
	a.URL = o.text("url")
	a.ProtocolBinding = o.text("protocolBinding")
	a.Tenant = o.text("tenant")
	a.ProtocolVersion = o.text("protocolVersion")
}

func (a *AgentProvider) read(o *object) {
	a.URL = o.text("url")
	a.Organization = o.text("organization")
}

func (a *AgentCapabilities) read(o *object) {
	a.Streaming = o.boolean("streaming")
	a.PushNotifications = o.boolean("pushNotifications")
	a.Extensions = list[AgentExtension](o, "extensions")
	a.ExtendedAgentCard = o.boolean("extendedAgentCard")
}

func (a *AgentExtension) read(o *object) {
	a.URI = o.text("uri")
	a.Description = o.text("description")
	a.Required = o.boolean("required")
	a.Params = o.metadata("params")
}

func (a *AgentSkill) read(o *object) {
	a.ID = o.text("id")
	a.Name = o.text("name")
	a.Description = o.text("description")
	a.Tags = o.texts("tags")
	a.Examples = o.texts("examples")
	a.InputModes = o.texts("inputModes")
	a.OutputModes = o.texts("outputModes")
	a.SecurityRequirements = list[SecurityRequirement](o, "securityRequirements")
}

func (a *AgentCardSignature) read(o *object) {
	a.Protected = o.text("protected")
	a.Signature = o.text("signature")
	a.Header = o.metadata("header")
}

func (s *SecurityRequirement) read(o *object) { s.Schemes = byName[StringList](o, "schemes") }

func (s *StringList) read(o *object) { s.List = o.texts("list") }
