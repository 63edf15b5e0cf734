// Package access says who is calling: principals and, at the edges, how a request proves one.
package access

// Principal is an authenticated caller. Subject is what tasks belong to; the zero value is an
// anonymous caller.
type Principal struct {
	Tenant  string         `json:"tenant,omitempty"`
	Subject string         `json:"subject,omitempty"`
	Scopes  []string       `json:"scopes,omitempty"`
	Roles   []string       `json:"roles,omitempty"`
	Method  string         `json:"method,omitempty"` // such as jwt, api-key, iam
	Claims  map[string]any `json:"claims,omitempty"`
}

// Anonymous reports whether nobody was authenticated. Such a caller may not answer an approval
//
func (p Principal) Anonymous() bool { return p.Subject == "" }

// Local is the principal of every caller where authentication is switched off as a whole, which
// only local runs may do.
var Local = Principal{Subject: "local", Method: "none"}
