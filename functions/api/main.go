// Command api serves A2A, by JSON-RPC and HTTP+JSON, and the agent's card, behind API Gateway.
package main

import (
	"net/http"

	"github.com/interlude-a2a/interlude/functions/internal/deployment"
	"github.com/interlude-a2a/interlude/pkg/binding"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/parameter"
	"github.com/interlude-a2a/interlude/pkg/server"
)

func main() { deployment.Start(lambda.API, wire) }

func wire(d deployment.Deployment) (any, error) {
	content, more, err := d.Cards()
	if err != nil {
		return nil, err
	}
	secret := parameter.New(d.Cloud, d.SecretParameter)
	serve := func(url string) (http.Handler, error) {
		c, err := card.Build(content, card.Options{
			URL: url, Interfaces: d.Interfaces, Buffered: !d.Streams, Extended: more != nil, Modified: deployment.Modified(),
		})
		if err != nil {
			return nil, err
		}
		o := server.Options{
			Store: d.Store, Queue: d.Queue, Card: c.Value(), Secret: secret.Get, Log: d.Log,
			Authenticator: d.Authenticator(), BlockingWait: d.BlockingWait, MaxMessage: d.MaxMessage, MaxParts: d.MaxParts, ExtendedCard: server.ExtendedFor(more),
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
