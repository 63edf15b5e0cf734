package connection

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/access"
)

// brokerTimeout is how long a broker may take; maxBroker how many bytes of its answer are read;
// maxExpiry how many seconds of a token's life are told from longer ones.
const (
	brokerTimeout = 10 * time.Second
	maxBroker     = 64 << 10
	maxExpiry     = 30 * 24 * 60 * 60
)

// Asking is what a broker is sent, as JSON by POST.
type Asking struct {
	Tenant     string `json:"tenant,omitempty"`
	Owner      string `json:"owner"` // the authenticated subject whose task it is
	Connection string `json:"connection"`
}

// Answer is what it answers with status 200. 404 says that there is no token.
type Answer struct {
	Token     string  `json:"token"`
	ExpiresIn float64 `json:"expiresIn,omitempty"` // seconds; absent: unknown
}

// Broker asks a service of the deployment for each token. key is the bearer token that it knows
// the deployment by; empty: none is sent. client guards its address and follows no redirects.
func Broker(client *http.Client, url string, key func(context.Context) (string, error)) Resolver {
	return func(ctx context.Context, who access.Principal, connection string) (Token, error) {
		ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
		defer cancel()
		body, err := json.Marshal(Asking{Tenant: who.Tenant, Owner: who.Subject, Connection: connection})
		if err != nil {
			return Token{}, err
		}
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
		if err != nil {
			return Token{}, err
		}
		r.Header.Set("Content-Type", "application/json")
		secret, err := key(ctx)
		if err != nil {
			return Token{}, err
		}
		if secret != "" {
			r.Header.Set("Authorization", "Bearer "+secret)
		}
		resp, err := client.Do(r)
		if err != nil {
			return Token{}, fmt.Errorf("connection: ask the broker: %w", err)
		}
		defer resp.Body.Close()
		return read(resp)
	}
}

func read(resp *http.Response) (Token, error) {
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusNotFound:
		return Token{}, nil
	default:
		return Token{}, fmt.Errorf("connection: the broker answered %s", resp.Status)
	}
	var a Answer
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxBroker)).Decode(&a); err != nil {
		return Token{}, errors.New("connection: the broker's answer is not what it should be") // the error might hold a part of it
	}
	t := Token{Value: strings.TrimSpace(a.Token)}
	if a.ExpiresIn > 0 {
		t.Expires = time.Now().Add(time.Duration(min(a.ExpiresIn, maxExpiry) * float64(time.Second)))
	}
	return t, nil
}
