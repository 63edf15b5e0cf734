// Command api serves A2A, by JSON-RPC and HTTP+JSON, and the agent's card, behind API Gateway.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"

	"github.com/interlude-a2a/interlude/functions/internal/deployment"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/binding"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/parameter"
	"github.com/interlude-a2a/interlude/pkg/server"
)

func main() { deployment.Start(lambda.API, wire) }

// cardOf is the content of an agent's card. Of one from a file it was made when the function was
// built, so that nothing here reads YAML.
func cardOf(agent string) (content a2a.AgentCard, err error) {
	if agent == lambda.Scripted {
		return agenttest.Card, nil
	}
	dir, err := deployment.Files("cards")
	if err != nil {
		return content, err
	}
	b, err := fs.ReadFile(dir, agent+".json")
	if errors.Is(err, fs.ErrNotExist) {
		return content, fmt.Errorf("AGENT is %q: the function was built without a card of it", agent)
	}
	if err == nil {
		err = json.Unmarshal(b, &content)
	}
	return content, err
}

func wire(d deployment.Deployment) (any, error) {
	content, err := cardOf(d.Agent)
	if err != nil {
		return nil, err
	}
	secret := parameter.New(d.Cloud, d.SecretParameter)
	serve := func(url string) (http.Handler, error) {
		c, err := card.Build(content, card.Options{URL: url, Buffered: !d.Streams})
		if err != nil {
			return nil, err
		}
		o := server.Options{
			Store: d.Store, Queue: d.Queue, Card: c.Value(), Secret: secret.Get, Log: d.Log,
			Authenticator: d.Authenticator(), BlockingWait: d.BlockingWait,
		}
		if d.HeldCalls {
			o.Journal = d.Store.Journal
		}
		s, err := server.New(o)
		if err != nil {
			return nil, err
		}
		return binding.New(s, c), nil
	}
	o := lambda.Options{Log: d.Log}
	mounted, err := lambda.Mount(d.PublicURL, serve, o)
	if err != nil {
		return nil, err
	}
	return d.Handler(mounted, o), nil
}
