package access_test

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net/url"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/access"
)

// SRV-05: who a verified certificate says; one that nobody verified says nothing.
func TestClientCertificate(t *testing.T) {
	t.Parallel()
	spiffe, err := url.Parse("spiffe://acme/coder")
	if err != nil {
		t.Fatal(err)
	}
	named := pkix.Name{CommonName: "alice"}
	for _, tt := range []struct {
		name     string
		cert     *x509.Certificate
		verified bool
		want     string
	}{
		{"a URI", &x509.Certificate{URIs: []*url.URL{spiffe}, DNSNames: []string{"a.example"}, Subject: named}, true, "spiffe://acme/coder"},
		{"a name of DNS", &x509.Certificate{DNSNames: []string{"a.example"}, Subject: named}, true, "a.example"},
		{"a common name", &x509.Certificate{Subject: named}, true, "alice"},
		{"a URI that is an ARN", &x509.Certificate{URIs: []*url.URL{{Scheme: "arn", Opaque: "aws:iam::1:user/alice"}}, Subject: named}, true, ""},
		{"a URI of no scheme", &x509.Certificate{URIs: []*url.URL{{Path: "alice"}}, Subject: named}, true, ""},
		{"a common name like a URI", &x509.Certificate{Subject: pkix.Name{CommonName: "arn:aws:iam::1:user/alice"}}, true, ""},
		{"a name of DNS like a URI", &x509.Certificate{DNSNames: []string{"spiffe://acme/coder"}, Subject: named}, true, ""},
		{"nothing", &x509.Certificate{}, true, ""},
		{"unverified", &x509.Certificate{Subject: named}, false, ""},
	} {
		r := request("Bearer mallory")
		r.TLS = &tls.ConnectionState{PeerCertificates: []*x509.Certificate{tt.cert}}
		if tt.verified {
			r.TLS.VerifiedChains = [][]*x509.Certificate{{tt.cert}}
		}
		got, err := access.ClientCertificate.Authenticate(r)
		var refused *access.Unauthenticated
		if got.Subject != tt.want || (tt.want == "") != errors.As(err, &refused) {
			t.Errorf("%s: got %+v, %v, want %q", tt.name, got, err, tt.want)
		}
	}
	if _, err := access.ClientCertificate.Authenticate(request("")); err == nil {
		t.Error("in the clear: got no error")
	}
}
