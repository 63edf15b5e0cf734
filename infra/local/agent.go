package main

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"time"

	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/harness/folder"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/model/openai"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// loopback is this machine, which a local run may reach and a deployment may not.
var loopback = netguard.Guard{
	Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
}

// openAgent opens the agent that the settings name, and with one from a folder a tracker for it to
// work on. stop ends that.
func openAgent(set settings) (a agent.Agent, card a2a.AgentCard, stop func(), err error) {
	if set.agent == scripted {
		return &agenttest.Agent{}, agenttest.Card, func() {}, nil
	}
	at, stop, err := startTracker()
	if err != nil {
		return nil, card, nil, err
	}
	f, err := folder.Open(os.DirFS(set.agent), folder.Options{
		Endpoints: endpoints(set), Model: set.model, Guard: loopback, Servers: map[string]string{"tracker": at},
	})
	if err != nil {
		stop()
		return nil, card, nil, fmt.Errorf("%s: %w", set.agent, err)
	}
	return f.Agent, f.Card(), stop, nil
}

// endpoints are the models beside a folder's script.
func endpoints(set settings) map[string]model.Model {
	if set.baseURL == "" {
		return nil
	}
	o := openai.Options{BaseURL: set.baseURL, HTTP: loopback.Client()}
	if set.key != "" {
		o.Key = func(context.Context, time.Time) (string, error) { return set.key, nil }
	}
	return map[string]model.Model{"openai": openai.New(o)}
}

// startTracker serves a tracker on this machine, and returns its address.
func startTracker() (at string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: tracker.New(tracker.Options{}), ReadHeaderTimeout: 10 * time.Second}
	go s.Serve(l)
	return "http://" + l.Addr().String() + "/mcp", func() { s.Close() }, nil
}
