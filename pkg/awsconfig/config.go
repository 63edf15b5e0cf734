// Package awsconfig builds the configuration of AWS clients by hand. The SDK's own config package
// would read files and ask metadata services that a function does not have, and link the clients
// of STS and SSO into every program.
package awsconfig

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
)

// Time limits of one attempt of a call; the SDK tries again. A call on DynamoDB or SQS takes some
// milliseconds, so whoever waits longer waits for an answer that was lost.
const (
	dialTimeout   = time.Second
	answerTimeout = 5 * time.Second
)

// Options say whose clients they are, and of what.
type Options struct {
	Region string
	// Endpoint is the address of emulated AWS. Empty: AWS itself.
	Endpoint string
	// Getenv reads AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN at each signing
	// that finds no credentials cached; in a function they are its role's.
	Getenv func(string) string
}

// New is the configuration for o. Nothing is checked and nobody is called.
func New(o Options) aws.Config {
	cfg := aws.Config{
		Region:      o.Region,
		Credentials: aws.NewCredentialsCache(environment(o.Getenv)),
		HTTPClient:  client(),
	}
	if o.Endpoint != "" {
		cfg.BaseEndpoint = aws.String(o.Endpoint)
	}
	return cfg
}

// environment takes credentials from environment variables.
func environment(getenv func(string) string) aws.CredentialsProvider {
	return aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		c := aws.Credentials{
			AccessKeyID:     getenv("AWS_ACCESS_KEY_ID"),
			SecretAccessKey: getenv("AWS_SECRET_ACCESS_KEY"),
			SessionToken:    getenv("AWS_SESSION_TOKEN"),
			Source:          "environment",
		}
		if !c.HasKeys() {
			return c, errors.New("awsconfig: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set")
		}
		return c, nil
	})
}

func client() aws.HTTPClient {
	return plainBody{awshttp.NewBuildableClient().
		WithDialerOptions(func(d *net.Dialer) { d.Timeout = dialTimeout }).
		WithTransportOptions(func(t *http.Transport) { t.ResponseHeaderTimeout = answerTimeout })}
}

// plainBody hands net/http bodies that can only be read. The WriteTo of smithy's body returns
// io.EOF once it was closed, on which net/http drops the connection, and with it the answer of a
// write that took effect: the SDK's retry then fails the write's own condition.
type plainBody struct{ next aws.HTTPClient }

func (c plainBody) Do(r *http.Request) (*http.Response, error) {
	if r.Body != nil && r.Body != http.NoBody {
		r.Body = struct {
			io.Reader
			io.Closer
		}{r.Body, r.Body}
	}
	return c.next.Do(r)
}
