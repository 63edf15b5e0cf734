// Package mcp reaches tool servers that speak MCP over streamable HTTP: stateless ones (2026-07-28)
// and older ones with sessions. Local processes are no servers here.
//
// The wire decides what an attempt came to, never the SDK's errors: what was not written was not
// sent, what was written and not answered is unknown. Nothing here sends a call twice.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

// MetaEffectID is the key of _meta under which a call carries its effect's id. It is the same
// whenever a call is sent again, so a server that knows it can tell.
const MetaEffectID = "io.github.interlude-a2a/effectId"

const (
	maxBody     = 4 << 20
	listTimeout = 30 * time.Second
)

// Options say how a [Server] is reached. Name, Server and Client are required.
type Options struct {
	Name    string            // the server's in its definition
	Server  definition.Server // its timeout is the caller's to keep
	Client  *http.Client      // with a Transport of its own, as pkg/netguard makes; redirects are not followed
	Version string            // ours, as servers see it; default 0

	// Token finds the bearer token, as it was no earlier than since, and is asked for every request;
	// again if the server refuses it, for a newer one. Nil or an empty token: none is sent. An
	// error is a *[tool.NeedsConnection] where a person can help.
	Token func(ctx context.Context, since time.Time) (string, error)
}

// Server is one tool server, as one run reaches it. It connects when it is first used. Close it.
type Server struct {
	o      Options
	http   *http.Client
	client *sdk.Client

	lock    chan struct{} // guards what follows; waiting for it ends with a context
	current *sdk.ClientSession
	past    []*sdk.ClientSession // given up, maybe with calls of others in flight
	tools   []tool.Tool          // as last listed; nil before that
	leftOut int                  // tools that could not be offered then
}

var _ tool.Server = (*Server)(nil)

// New returns a server that nobody has called yet.
func New(o Options) *Server {
	hc := &http.Client{
		Transport:     &transport{base: o.Client.Transport, token: o.Token},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	us := &sdk.Implementation{Name: "interlude", Version: cmp.Or(o.Version, "0")}
	client := sdk.NewClient(us, &sdk.ClientOptions{
		Capabilities:   &sdk.ClientCapabilities{},
		MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true}, // it would call again by itself
	})
	client.AddReceivingMiddleware(pingOnly)
	return &Server{o: o, http: hc, client: client, lock: make(chan struct{}, 1)}
}

// pingOnly lets a server ask whether we are there, and say nothing else but answers: some of the SDK's
// handlers panic at what it may say, in goroutines where nobody recovers.
func pingOnly(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, r sdk.Request) (sdk.Result, error) {
		if method != "ping" {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "not supported"}
		}
		return next(ctx, method, r)
	}
}

// List implements [tool.Server]. It asks the server anew, unless that said how long its last answer holds.
func (s *Server) List(ctx context.Context) ([]tool.Tool, error) {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	ctx, a := begin(ctx, true)
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.release()
	if err := s.list(ctx); err != nil {
		return nil, s.unlisted(a, err)
	}
	return slices.Clone(s.tools), nil
}

// LeftOut is how many tools the last list did not offer since no model could be told of them.
func (s *Server) LeftOut() int {
	s.lock <- struct{}{}
	defer s.release()
	return s.leftOut
}

// unlisted is the error of servers that could not be listed. It has nothing of the server's own words,
// which may repeat the token, nor of its address: it is logged.
func (s *Server) unlisted(a *attempt, err error) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch o := s.refusal(a, err).(type) {
	case *tool.NeedsConnection:
		return o
	case tool.NotSent:
		return errors.New("mcp: " + o.Reason)
	}
	answer := new(jsonrpc.Error)
	switch {
	case errors.Is(err, errTooManyTools) || errors.Is(err, errTooMuchSaid):
		return err
	case errors.As(err, &answer):
		return fmt.Errorf("mcp: the server answered with error %d", answer.Code)
	case a.status >= http.StatusMultipleChoices:
		return fmt.Errorf("mcp: the server answered with status %d", a.status)
	case a.status == 0:
		return errors.New("mcp: the server could not be reached")
	}
	return errors.New("mcp: the server's answer could not be read")
}

// Call implements [tool.Server]. It makes one request of the call, at most.
func (s *Server) Call(ctx context.Context, c tool.Call) tool.Outcome {
	session, refused := s.ready(ctx, c)
	if refused != nil {
		return refused
	}
	if len(c.Arguments) == 0 {
		c.Arguments = json.RawMessage("{}")
	}
	ctx, a := begin(ctx, false)
	a.late = c.Late
	var result *sdk.CallToolResult
	err := survive(func() (err error) {
		result, err = session.CallTool(ctx, &sdk.CallToolParams{
			Meta: sdk.Meta{MetaEffectID: c.EffectID}, Name: c.Tool, Arguments: c.Arguments,
		})
		return err
	})
	out := s.outcome(ctx, a, result, err)
	if _, ok := out.(tool.Answered); !ok {
		s.giveUp(session) // the SDK's sessions do not outlive most failures
	}
	return out
}

// ready connects and checks that the tool is the one that was planned with.
func (s *Server) ready(ctx context.Context, c tool.Call) (*sdk.ClientSession, tool.Outcome) {
	if !s.offers(c.Tool) {
		return nil, tool.Changed{}
	}
	ctx, a := begin(ctx, true)
	if s.acquire(ctx) != nil {
		return nil, tool.NotSent{Reason: reasonUnreached, Passing: true}
	}
	defer s.release()
	err := s.connect(ctx)
	if err == nil && s.tools == nil && c.Hash != "" {
		err = s.list(ctx)
	}
	if err != nil {
		return nil, s.unready(a, err)
	}
	if c.Hash != "" && !s.has(c.Tool, c.Hash) {
		return nil, tool.Changed{}
	}
	return s.current, nil
}

// unready is the outcome of a call that was not made since its server could not be connected.
func (s *Server) unready(a *attempt, err error) tool.Outcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	if refusal := s.refusal(a, err); refusal != nil {
		return refusal
	}
	return tool.NotSent{Reason: reasonUnreached, Passing: true}
}

func (s *Server) has(name, hash string) bool {
	for _, t := range s.tools {
		if t.Name == name {
			return t.Hash == hash
		}
	}
	return false
}
