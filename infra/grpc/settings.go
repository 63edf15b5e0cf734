package main

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"

	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/lambda"
)

// settings are those that the functions have, and the container's own.
type settings struct {
	lambda.Config
	address       string      // ADDRESS; default :50051
	tls           *tls.Config // TLS_CERT, TLS_KEY, TLS_CLIENT_CA: PEM files; nil: in the clear
	authenticator access.Authenticator
}

// They say why it does not start.
var (
	errUnsigned = errors.New("TLS_CLIENT_CA is not set: only emulated AWS goes without authentication")
	errNowhere  = errors.New("PUBLIC_URL is not set: the card that callers get lists the api function by it")
)

// readSettings reads and checks the environment. The error names the variable.
func readSettings(getenv func(string) string) (s settings, err error) {
	if s.Config, err = lambda.ReadConfig(lambda.GRPC, getenv); err != nil {
		return s, err
	}
	if s.PublicURL == "" && !s.Emulated() {
		return s, errNowhere
	}
	s.PublicURL = cmp.Or(s.PublicURL, "http://localhost")
	if s.address = getenv("ADDRESS"); s.address == "" {
		s.address = ":50051"
	}
	if s.tls, err = readTLS(getenv("TLS_CERT"), getenv("TLS_KEY"), getenv("TLS_CLIENT_CA")); err != nil {
		return s, err
	}
	s.authenticator = access.ClientCertificate
	if s.tls == nil || s.tls.ClientCAs == nil {
		if s.authenticator = access.None; !s.Emulated() {
			return s, errUnsigned
		}
	}
	return s, nil
}

// readTLS reads certificates; without a client's authority nobody is asked for one.
func readTLS(cert, key, clients string) (*tls.Config, error) {
	if cert == "" && key == "" && clients == "" {
		return nil, nil
	}
	own, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("TLS_CERT is %q, TLS_KEY is %q: %w", cert, key, err)
	}
	c := &tls.Config{Certificates: []tls.Certificate{own}, MinVersion: tls.VersionTLS12}
	if clients == "" {
		return c, nil
	}
	pem, err := os.ReadFile(clients)
	if err != nil {
		return nil, fmt.Errorf("TLS_CLIENT_CA is %q: %w", clients, err)
	}
	c.ClientCAs, c.ClientAuth = x509.NewCertPool(), tls.RequireAndVerifyClientCert
	if !c.ClientCAs.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("TLS_CLIENT_CA is %q: it holds no certificate", clients)
	}
	return c, nil
}
