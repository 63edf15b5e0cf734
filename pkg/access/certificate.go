package access

import (
	"crypto/x509"
	"net/http"
	"strings"
)

// ClientCertificate takes callers for who their certificate says, which whoever ended TLS has
// verified (mutual TLS): by its first URI, else its first DNS name, else its common name. Only a URI
// may have the form of one, and none is an ARN: those are the subjects of another method.
var ClientCertificate Authenticator = AuthenticatorFunc(func(r *http.Request) (Principal, error) {
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		return Principal{}, &Unauthenticated{Challenge: "mutual TLS"}
	}
	subject := subjectOf(r.TLS.VerifiedChains[0][0])
	if subject == "" {
		return Principal{}, &Unauthenticated{Challenge: "mutual TLS"}
	}
	return Principal{Subject: subject, Method: "mtls"}, nil
})

func subjectOf(c *x509.Certificate) string {
	if len(c.URIs) > 0 {
		if !c.URIs[0].IsAbs() || strings.EqualFold(c.URIs[0].Scheme, "arn") {
			return ""
		}
		return c.URIs[0].String()
	}
	name := c.Subject.CommonName
	if len(c.DNSNames) > 0 {
		name = c.DNSNames[0]
	}
	if strings.Contains(name, ":") {
		return ""
	}
	return name
}
