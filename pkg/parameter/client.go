package parameter

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

const (
	attempts  = 3
	backoff   = 100 * time.Millisecond // doubled after each attempt
	maxAnswer = 64 << 10
)

// service is one that speaks the JSON 1.1 protocol.
type service struct {
	name   string // of its endpoint and in signatures
	target string // prefix of its operations
}

var (
	ssm            = service{"ssm", "AmazonSSM."}
	secretsManager = service{"secretsmanager", "secretsmanager."}
)

// client calls a service.
type client struct {
	service
	cfg      aws.Config
	endpoint string
	signer   *v4.Signer
}

func newClient(cfg aws.Config, s service) *client {
	endpoint := "https://" + s.name + "." + cfg.Region + ".amazonaws.com"
	if strings.HasPrefix(cfg.Region, "cn-") {
		endpoint += ".cn"
	}
	if cfg.BaseEndpoint != nil {
		endpoint = strings.TrimRight(*cfg.BaseEndpoint, "/")
	}
	return &client{service: s, cfg: cfg, endpoint: endpoint, signer: v4.NewSigner()}
}

// call tries an operation again when it may help: all that are called here may be repeated. Beside what is
// always worth it, passing are the codes of refusals that may pass.
func (c *client) call(ctx context.Context, operation string, in, out any, passing ...string) error {
	body, err := json.Marshal(in)
	if err != nil {
		return err
	}
	for n := 0; ; n++ {
		var again bool
		again, err = c.try(ctx, operation, body, out)
		again = again || slices.ContainsFunc(passing, func(code string) bool { return hasCode(err, code) })
		if !again || n == attempts-1 {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(backoff << n):
		}
	}
}

// try makes one attempt. again: it failed in a way that may pass.
func (c *client) try(ctx context.Context, operation string, body []byte, out any) (again bool, err error) {
	req, err := c.request(ctx, operation, body)
	if err != nil {
		return false, err
	}
	resp, err := c.cfg.HTTPClient.Do(req)
	if err != nil {
		return true, fmt.Errorf("parameter: %s: %w", operation, err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return true, fmt.Errorf("parameter: %s: %w", operation, err)
	}
	if resp.StatusCode != http.StatusOK {
		refused := refusal(operation, resp.StatusCode, answer)
		return resp.StatusCode >= 500 || strings.Contains(refused.code, "Throttl"), refused
	}
	return false, json.Unmarshal(answer, out)
}

func (c *client) request(ctx context.Context, operation string, body []byte) (*http.Request, error) {
	credentials, err := c.cfg.Credentials.Retrieve(ctx)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint+"/", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/x-amz-json-1.1")
	req.Header.Set("X-Amz-Target", c.target+operation)
	hash := sha256.Sum256(body)
	return req, c.signer.SignHTTP(ctx, credentials, req, hex.EncodeToString(hash[:]), c.name, c.cfg.Region, time.Now())
}

// refusal reads the code of an error, which may come with a namespace before it.
func refusal(operation string, status int, answer []byte) *apiError {
	var e struct {
		Type string `json:"__type"`
	}
	json.Unmarshal(answer, &e) // what is no JSON has no code
	return &apiError{operation: operation, code: e.Type[strings.LastIndex(e.Type, "#")+1:], status: status}
}
