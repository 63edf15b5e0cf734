package runtimeapi_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/interlude-a2a/interlude/infra/local/system"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
)

// serveSystem is a whole system in memory, at the gateway's URL.
func serveSystem(url string) (http.Handler, error) {
	s, err := system.Open(system.Options{Agent: &agenttest.Agent{}, Card: agenttest.Card, URL: url})
	if err != nil {
		return nil, err
	}
	go s.Run(context.Background()) // until the process ends
	return s, nil
}

func gatewayEvent(method, path, body string) events.APIGatewayProxyRequest {
	e := events.APIGatewayProxyRequest{
		HTTPMethod: method, Path: path, Body: body,
		MultiValueHeaders: map[string][]string{"A2A-Version": {"1.0"}, "Content-Type": {"application/json"}},
	}
	e.RequestContext.DomainName, e.RequestContext.Stage = "q1w2.execute-api.eu-central-1.amazonaws.com", "a2a"
	return e
}

// TestBlockingCall sends a message by both bindings and waits until its task waits for an approval.
func TestBlockingCall(t *testing.T) {
	t.Parallel()
	f := start(t)
	const message = `{"message":{"messageId":"m-1","role":"ROLE_USER","parts":[{"text":"approve github/create_pull_request"}]}}`
	for name, e := range map[string]events.APIGatewayProxyRequest{
		"HTTP+JSON": gatewayEvent("POST", "/message:send", message),
		"JSON-RPC":  gatewayEvent("POST", "/", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":`+message+`}`),
	} {
		reply := f.invoke(e, time.Minute)
		body, err := reply.Rest()
		if err != nil || reply.Status != http.StatusOK || !strings.Contains(string(body), `"state":"TASK_STATE_AUTH_REQUIRED"`) {
			t.Errorf("%s: got %d, %v and\n%s\nwant a task that waits", name, reply.Status, err, body)
		}
	}
}

// R-52, CARD-02: the card is below the stage, and says so.
func TestCardBelowTheStage(t *testing.T) {
	t.Parallel()
	f := start(t)
	reply := f.invoke(gatewayEvent("GET", "/.well-known/agent-card.json", ""), time.Minute)
	body, err := reply.Rest()
	const url = `"url":"https://q1w2.execute-api.eu-central-1.amazonaws.com/a2a"`
	if err != nil || reply.Status != http.StatusOK || !strings.Contains(string(body), url) {
		t.Errorf("got %d, %v and\n%s\nwant a card with %s", reply.Status, err, body, url)
	}
}
