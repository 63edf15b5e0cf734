// Package folder opens an agent from its folder, with what a deployment gives it: models, tokens
// and the guard of addresses. The file says what the agent is; nothing in it, and nothing that a
// caller sends, names an endpoint of models or a secret.
package folder

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/harness"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/model/script"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/harness/tool/mcp"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// ScriptFile is what the scripted model of a folder plays, if there is one.
const ScriptFile = "script.yaml"

// Options are what a deployment gives.
type Options struct {
	// Endpoints are models' endpoints, by the name before the first slash of a model's id. The
	// folder's script is the endpoint script.
	Endpoints map[string]model.Model
	// Model is the id of agents that name none; default script/script where there is a script.
	Model string
	// Token finds the bearer token of a connection for a principal, as it was no earlier than since
	// nil: there are none. An empty one makes the run ask for the connection.
	Token func(ctx context.Context, who access.Principal, connection string, since time.Time) (string, error)
	// Guard is what may be reached.
	Guard netguard.Guard
	// Servers are addresses that stand in for those of the file, by the server's name.
	Servers map[string]string
	Denied  []string     // patterns of tools that no file can allow
	Log     *slog.Logger // default [slog.Default]
}

// Folder is an opened agent.
type Folder struct {
	Agent      *harness.Agent
	Definition *definition.Definition
	Extended   *a2a.AgentCard // what authenticated callers see beyond the card; nil: nothing
}

// What a deployment's settings may have wrong.
var (
	ErrNoModel  = errors.New("this deployment has no model")
	ErrNoServer = errors.New("the agent has no tool server")
)

// Open reads the folder. The error says what is wrong with it, for people: [ErrNoModel], [ErrNoServer] and
// [definition.ErrPattern] that the options do not fit it.
func Open(dir fs.FS, o Options) (*Folder, error) {
	d, err := definition.Load(dir)
	if err != nil {
		return nil, err
	}
	for i, p := range o.Denied {
		if o.Denied[i], err = definition.Pattern(p); err != nil {
			return nil, err
		}
	}
	endpoints := map[string]model.Model{}
	for name, m := range o.Endpoints {
		endpoints[name] = m
	}
	b, err := fs.ReadFile(dir, ScriptFile)
	if err == nil {
		played, err := script.Read(b)
		if err != nil {
			return nil, err
		}
		endpoints["script"] = played
		if o.Model == "" {
			o.Model = "script/script"
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if d.Model == "" { // a turn that has begun keeps its model, whatever the deployment's becomes
		d.Model = o.Model
	}
	if _, _, err := find(endpoints, d.Model); err != nil {
		return nil, err
	}
	for name := range o.Servers {
		if _, ok := d.Servers[name]; !ok {
			return nil, fmt.Errorf("%w %q", ErrNoServer, name)
		}
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	c := connector{o}
	a, err := harness.New(harness.Options{
		Definition: d, Denied: o.Denied, Log: o.Log, Connect: c.connect,
		Models: func(id string) (model.Model, string, error) { return find(endpoints, id) },
	})
	if err != nil {
		return nil, err
	}
	extended, err := definition.LoadExtendedCard(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{Agent: a, Definition: d, Extended: extended}, nil
}

// find is the model of an id, <endpoint>/<name>.
func find(endpoints map[string]model.Model, id string) (model.Model, string, error) {
	endpoint, name, ok := strings.Cut(id, "/")
	m, known := endpoints[endpoint]
	if !ok || !known {
		return nil, "", fmt.Errorf("%w %q", ErrNoModel, id)
	}
	return m, name, nil
}

type connector struct{ o Options }

// connect reaches a server over MCP, through the guard, with the principal's token.
func (c connector) connect(name string, s definition.Server, who access.Principal, connected time.Time) (tool.Server, error) {
	if at, ok := c.o.Servers[name]; ok {
		s.URL = at
	}
	return mcp.New(mcp.Options{
		Name: name, Server: s, Client: c.o.Guard.Client(),
		Token: func(ctx context.Context, since time.Time) (string, error) {
			if s.Connection == "" || c.o.Token == nil {
				return "", nil
			}
			if since.Before(connected) {
				since = connected
			}
			token, err := c.o.Token(ctx, who, s.Connection, since)
			switch {
			case err != nil && ctx.Err() == nil: // the run hears only that there was none
				c.o.Log.ErrorContext(ctx, "folder: a token could not be looked up", "connection", s.Connection, "error", err)
			case err == nil && token == "":
				err = &tool.NeedsConnection{App: s.Connection, Reason: "to use " + name}
			}
			return token, err
		},
	}), nil
}
