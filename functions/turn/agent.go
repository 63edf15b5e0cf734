package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/functions/internal/deployment"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/connection"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/folder"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/model/openai"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/netguard"
	"github.com/interlude-a2a/interlude/pkg/parameter"
)

// keepKey is how long a model's key is remembered.
const keepKey = 5 * time.Minute

// openAgent opens the agent that the settings name, of the folder of agents. wake is to be called before each slice: what
// was connected before the process was frozen leads nowhere by then.
func openAgent(d deployment.Deployment, agents fs.FS) (a agent.Agent, wake func(), err error) {
	if d.Agent == lambda.Scripted {
		return &agenttest.Agent{}, func() {}, nil
	}
	dir, err := fs.Sub(agents, d.Agent)
	if err != nil {
		return nil, nil, err
	}
	guard := netguard.Guard{Allow: d.Networks}
	models := netguard.Guard{Allow: d.Networks, MaxBody: openai.MaxAnswer}.Client()
	client, secrets := guard.Client(), parameter.NewReader(d.Cloud)
	token, err := tokens(d, client, secrets)
	if err != nil {
		return nil, nil, fmt.Errorf("TOKENS is %q: %w", d.Tokens, err)
	}
	f, err := folder.Open(dir, folder.Options{
		Endpoints: endpoints(d, models, secrets), Model: d.Model, Token: token, Guard: guard,
		Servers: d.ToolServers, Denied: d.DeniedTools, Log: d.Log,
	})
	if err != nil {
		return nil, nil, wrong(d, err)
	}
	return f.Agent, func() { client.CloseIdleConnections(); models.CloseIdleConnections() }, nil
}

// wrong names the setting that an agent could not be opened for.
func wrong(d deployment.Deployment, err error) error {
	var problems definition.Problems
	switch {
	case errors.Is(err, definition.ErrPattern):
		return fmt.Errorf("DENIED_TOOLS is %q: %w", strings.Join(d.DeniedTools, " "), err)
	case errors.Is(err, folder.ErrNoModel):
		return fmt.Errorf("MODEL is %q, AGENT is %q: %w", d.Model, d.Agent, err)
	case errors.Is(err, folder.ErrNoServer):
		return fmt.Errorf("TOOL_SERVERS: %w", err)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("AGENT is %q: the function has no %s of that folder", d.Agent, definition.File)
	case errors.As(err, &problems):
		return fmt.Errorf("AGENT is %q: %w", d.Agent, problems[0])
	}
	return fmt.Errorf("AGENT is %q: %w", d.Agent, err)
}

// endpoints are the models that the settings name.
func endpoints(d deployment.Deployment, client *http.Client, secrets *parameter.Reader) map[string]model.Model {
	all := map[string]model.Model{}
	for name, e := range d.Endpoints {
		o := openai.Options{BaseURL: e.BaseURL, HTTP: client, MaxTokensField: e.MaxTokensField}
		if e.Key != "" {
			keys := connection.NewCache(at(secrets, e.Key), keepKey, nil)
			o.Key = func(ctx context.Context, since time.Time) (string, error) {
				return keys.Token(ctx, access.Principal{}, "", since)
			}
		}
		all[name] = openai.New(o)
	}
	return all
}

// at finds the one secret that a reference leads to.
func at(secrets *parameter.Reader, reference string) connection.Resolver {
	return func(ctx context.Context, _ access.Principal, _ string) (connection.Token, error) {
		value, err := secrets.Read(ctx, reference)
		return connection.Token{Value: value}, err
	}
}

// tokens finds tokens of connections where the settings say.
func tokens(d deployment.Deployment, client *http.Client, secrets *parameter.Reader) (
	func(ctx context.Context, who access.Principal, connection string, since time.Time) (string, error), error,
) {
	var find connection.Resolver
	switch {
	case d.Tokens == "":
		find = connection.Static(nil)
	case parameter.IsReference(d.Tokens):
		var err error
		if find, err = connection.Template(d.Tokens, secrets.Read); err != nil {
			return nil, err
		}
	default:
		key := connection.NewCache(at(secrets, d.BrokerKey), keepKey, nil)
		find = connection.Broker(client, d.Tokens, func(ctx context.Context) (string, error) {
			if d.BrokerKey == "" {
				return "", nil
			}
			return key.Token(ctx, access.Principal{}, "", time.Time{})
		})
	}
	return connection.NewCache(find, 0, nil).Token, nil
}
