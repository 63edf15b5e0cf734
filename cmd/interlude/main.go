// Command interlude is for people who make agents.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/signal"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/inspect"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/harness/tool/mcp"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// commands are what the command line takes.
type commands struct {
	Check check `cmd:"" help:"Check an agent's AGENT.md, and its rules against the tools of its servers."`
	Card  card  `cmd:"" help:"Make the content of agents' cards, as deployed functions serve them."`
}

// check is interlude check.
type check struct {
	Folder  string            `arg:"" help:"Folder of the AGENT.md."`
	Offline bool              `help:"Do not ask the servers for their tools."`
	Local   bool              `help:"Let servers be on this machine, and speak http."`
	Server  map[string]string `help:"Another address of a server, as name=url." placeholder:"NAME=URL"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var c commands
	k := kong.Parse(&c, kong.Name("interlude"), kong.Description("Serverless A2A agents that wait for people."), kong.UsageOnError())
	k.BindTo(ctx, (*context.Context)(nil))
	k.BindTo(os.Stdout, (*io.Writer)(nil))
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "interlude:", err)
		os.Exit(1)
	}
}

// errChecked says that the report tells of something to mend.
var errChecked = errors.New("there is something to mend")

// Run checks a folder and writes what it found.
func (c *check) Run(ctx context.Context, out io.Writer) error {
	d, err := definition.Load(os.DirFS(c.Folder))
	var problems definition.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			fmt.Fprintf(out, "%s/%s: %v\n", strings.TrimRight(c.Folder, "/"), definition.File, p)
		}
		return errChecked
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s %s (%s)\n", d.Name, d.Version, d.Hash[:12])
	if c.Offline {
		return nil
	}
	r := inspect.Inspect(ctx, d, c.connect)
	if _, err := r.WriteTo(out); err != nil {
		return err
	}
	if !r.OK() {
		return errChecked
	}
	return nil
}

// connect reaches a server without a token: what it tells strangers.
func (c *check) connect(name string, s definition.Server) (tool.Server, error) {
	if at, ok := c.Server[name]; ok {
		s.URL = at
	}
	var guard netguard.Guard
	if c.Local {
		guard.Allow = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	}
	return mcp.New(mcp.Options{Name: name, Server: s, Client: guard.Client()}), nil
}
