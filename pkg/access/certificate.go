package access

import (
	"crypto/x509"
	"net/http"
)

// ClientCertificate takes callers for who their certificate says, which whoever ended TLS has
// verified (mutual TLS): by its first URI, else its first DNS name, else its common name.
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
	switch {
	case len(c.URIs) > 0:
		return c.URIs[0].String()
	case len(c.DNSNames) > 0:
		return c.DNSNames[0]
	}
	return c.Subject.CommonName
}
