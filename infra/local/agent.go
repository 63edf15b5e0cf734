package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"os"
	"time"

	"github.com/interlude-a2a/interlude/infra/tracker"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/folder"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/model/openai"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// loopback is this machine, which a local run may reach and a deployment may not.
var loopback = netguard.Guard{
	Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")},
}

// served is an agent with what its cards say.
type served struct {
	agent    agent.Agent
	card     a2a.AgentCard
	extended *a2a.AgentCard
}

// openAgent opens the agent that the settings name, and a tracker for it to work on if its file has one
// of this machine. stop ends that.
func openAgent(set settings) (s served, stop func(), err error) {
	switch set.agent {
	case scripted:
		return served{agent: &agenttest.Agent{}, card: agenttest.Card}, func() {}, nil
	case conformance:
		return served{agent: agenttest.Kit{}, card: agenttest.KitCard}, func() {}, nil
	}
	dir := os.DirFS(set.agent)
	d, err := definition.Load(dir)
	if err != nil {
		return s, nil, wrong(set.agent, err)
	}
	servers, stop, err := trackers(d)
	if err != nil {
		return s, nil, err
	}
	f, err := folder.Open(dir, folder.Options{Endpoints: endpoints(set), Model: set.model, Guard: loopback, Servers: servers})
	if err != nil {
		stop()
		return s, nil, wrong(set.agent, err)
	}
	return served{f.Agent, f.Definition.AgentCard(), f.Extended}, stop, nil
}

// trackers are the servers of a file that a tracker, which serves until stop is called, stands for.
func trackers(d *definition.Definition) (at map[string]string, stop func(), err error) {
	at = map[string]string{}
	for name, s := range d.Servers {
		if s.URL == tracker.URL {
			at[name] = ""
		}
	}
	if len(at) == 0 {
		return at, func() {}, nil
	}
	url, stop, err := tracker.Serve()
	for name := range at {
		at[name] = url
	}
	return at, stop, err
}

// wrong says what is wrong with the agent that was asked for.
func wrong(agent string, err error) error {
	if errors.Is(err, folder.ErrNoModel) {
		return fmt.Errorf("AGENT is %q: %w; MODEL and OPENAI_BASE_URL name one, or the folder has a %s", agent, err, folder.ScriptFile)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("AGENT is %q, neither %s nor a folder with an %s", agent, scripted, definition.File)
	}
	return fmt.Errorf("AGENT is %q:\n%w", agent, err)
}

// endpoints are the models beside a folder's script.
func endpoints(set settings) map[string]model.Model {
	if set.baseURL == "" {
		return nil
	}
	guard := netguard.Guard{Allow: loopback.Allow, MaxBody: openai.MaxAnswer}
	o := openai.Options{BaseURL: set.baseURL, HTTP: guard.Client()}
	if set.key != "" {
		o.Key = func(context.Context, time.Time) (string, error) { return set.key, nil }
	}
	return map[string]model.Model{"openai": openai.New(o)}
}
