package a2a

// MarshalJSON implements [json.Marshaler].
func (a AuthorizationCodeOAuthFlow) MarshalJSON() ([]byte, error) {
	type fields AuthorizationCodeOAuthFlow
	a.Scopes = orEmptyMap(a.Scopes)
	return Marshal(fields(a))
}

// MarshalJSON implements [json.Marshaler].
func (c ClientCredentialsOAuthFlow) MarshalJSON() ([]byte, error) {
	type fields ClientCredentialsOAuthFlow
	c.Scopes = orEmptyMap(c.Scopes)
	return Marshal(fields(c))
}

// MarshalJSON implements [json.Marshaler].
func (d DeviceCodeOAuthFlow) MarshalJSON() ([]byte, error) {
	type fields DeviceCodeOAuthFlow
	d.Scopes = orEmptyMap(d.Scopes)
	return Marshal(fields(d))
}

func (s *SecurityScheme) read(o *object) {
	s.APIKey = child[APIKeySecurityScheme](o, "apiKeySecurityScheme")
	s.HTTPAuth = child[HTTPAuthSecurityScheme](o, "httpAuthSecurityScheme")
	s.OAuth2 = child[OAuth2SecurityScheme](o, "oauth2SecurityScheme")
	s.OpenIDConnect = child[OpenIDConnectSecurityScheme](o, "openIdConnectSecurityScheme")
	s.MTLS = child[MTLSSecurityScheme](o, "mtlsSecurityScheme")
	o.atMostOne(s.APIKey != nil, s.HTTPAuth != nil, s.OAuth2 != nil, s.OpenIDConnect != nil, s.MTLS != nil)
}

func (a *APIKeySecurityScheme) read(o *object) {
	a.Description = o.text("description")
	a.Location = o.text("location")
	a.Name = o.text("name")
}

func (h *HTTPAuthSecurityScheme) read(o *object) {
	h.Description = o.text("description")
	h.Scheme = o.text("scheme")
	h.BearerFormat = o.text("bearerFormat")
}

func (s *OAuth2SecurityScheme) read(o *object) {
	s.Description = o.text("description")
	embed(o, "flows", &s.Flows)
	s.OAuth2MetadataURL = o.text("oauth2MetadataUrl")
}

func (s *OpenIDConnectSecurityScheme) read(o *object) {
	s.Description = o.text("description")
	s.OpenIDConnectURL = o.text("openIdConnectUrl")
}

func (m *MTLSSecurityScheme) read(o *object) { m.Description = o.text("description") }

func (f *OAuthFlows) read(o *object) {
	f.AuthorizationCode = child[AuthorizationCodeOAuthFlow](o, "authorizationCode")
	f.ClientCredentials = child[ClientCredentialsOAuthFlow](o, "clientCredentials")
	f.Implicit = child[ImplicitOAuthFlow](o, "implicit")
	f.Password = child[PasswordOAuthFlow](o, "password")
	f.DeviceCode = child[DeviceCodeOAuthFlow](o, "deviceCode")
	o.atMostOne(f.AuthorizationCode != nil, f.ClientCredentials != nil, f.Implicit != nil, f.Password != nil, f.DeviceCode != nil)
}

func (a *AuthorizationCodeOAuthFlow) read(o *object) {
	a.AuthorizationURL = o.text("authorizationUrl")
	a.TokenURL = o.text("tokenUrl")
	a.RefreshURL = o.text("refreshUrl")
	a.Scopes = o.textByName("scopes")
	a.PKCERequired = o.boolean("pkceRequired")
}

func (c *ClientCredentialsOAuthFlow) read(o *object) {
	c.TokenURL = o.text("tokenUrl")
	c.RefreshURL = o.text("refreshUrl")
	c.Scopes = o.textByName("scopes")
}

func (i *ImplicitOAuthFlow) read(o *object) {
	i.AuthorizationURL = o.text("authorizationUrl")
	i.RefreshURL = o.text("refreshUrl")
	i.Scopes = o.textByName("scopes")
}

func (p *PasswordOAuthFlow) read(o *object) {
	p.TokenURL = o.text("tokenUrl")
	p.RefreshURL = o.text("refreshUrl")
	p.Scopes = o.textByName("scopes")
}

func (d *DeviceCodeOAuthFlow) read(o *object) {
	d.DeviceAuthorizationURL = o.text("deviceAuthorizationUrl")
	d.TokenURL = o.text("tokenUrl")
	d.RefreshURL = o.text("refreshUrl")
	d.Scopes = o.textByName("scopes")
}
