package mcp

import (
	"context"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/interlude-a2a/interlude/pkg/harness/tool"
	"github.com/interlude-a2a/interlude/pkg/netguard"
)

// What models and people read of attempts. A server's own words go to the model only as its answer.
const (
	reasonLost     = "The connection was lost after the call was sent."
	reasonNoAnswer = "No answer came in time."
	reasonStatus   = "The server failed while it had the call."
	reasonAnswer   = "The server's answer could not be read."

	reasonUnreached = "The server could not be reached."
	reasonAddress   = "The server's address may not be reached."
	reasonToken     = "No token could be had."
	reasonRenewed   = "The token has been replaced."
	reasonRefused   = "The server refused the call."
	reasonParams    = "The server refused the call: " // and says why: the model can mend it
	reasonBusy      = "The server takes no more calls for now."
	reasonNoSession = "The server ended the session."

	reasonConnect = "Its access has ended, or was never given."
	reasonScope   = "It needs more access than was given."

	textTooLarge = "The tool's answer was too large to be read. The call may have had its effect."
	textInput    = "The tool asks for more input while it runs, which is not supported."
)

// maxFault is the most bytes of what a server says of a call's arguments.
const maxFault = 500

// outcome says what the one request of a call came to.
func (s *Server) outcome(ctx context.Context, a *attempt, result *sdk.CallToolResult, err error) tool.Outcome {
	a.mu.Lock()
	defer a.mu.Unlock()
	if refusal := s.refusal(a, err); refusal != nil {
		return refusal
	}
	switch {
	case a.status == 0 && !a.sent && (!a.connected || ctx.Err() == nil):
		return tool.NotSent{Reason: reasonUnreached, Passing: true}
	case ctx.Err() != nil && err != nil:
		return tool.Unknown{Reason: reasonNoAnswer}
	case a.status == 0:
		return tool.Unknown{Reason: reasonLost}
	case a.status >= http.StatusMultipleChoices:
		return tool.Unknown{Reason: reasonStatus}
	case a.tooLarge:
		return tool.Answered{Text: textTooLarge, Error: true}
	case err != nil:
		return failed(err)
	case result.NeedsInput():
		return tool.Answered{Text: textInput, Error: true}
	}
	return tool.Answered{Text: text(result), Error: result.IsError}
}

// refusal is what says that a request surely had no effect, nil for none. The attempt is locked.
func (s *Server) refusal(a *attempt, err error) tool.Outcome {
	switch {
	case a.stopped:
		return tool.NotSent{Reason: reasonUnreached, Passing: true}
	case a.needs != nil:
		return a.needs
	case a.token != nil:
		return tool.NotSent{Reason: reasonToken, Passing: true}
	case errors.Is(err, netguard.ErrRefused):
		return tool.NotSent{Reason: reasonAddress}
	case a.renewed:
		return tool.NotSent{Reason: reasonRenewed, Passing: true}
	case a.refusedToken() && a.scope:
		return &tool.NeedsConnection{App: s.app(), Reason: reasonScope}
	case a.refusedToken():
		return &tool.NeedsConnection{App: s.app(), Reason: reasonConnect}
	case a.status == http.StatusNotFound && errors.Is(err, sdk.ErrSessionMissing): // else it is another call's
		return tool.NotSent{Reason: reasonNoSession, Passing: true}
	case a.status == http.StatusTooManyRequests:
		return tool.NotSent{Reason: reasonBusy, Passing: true}
	case refuses(a.status):
		return tool.NotSent{Reason: reasonRefused}
	}
	return nil
}

// refuses reports whether servers answer with a status before they look at what is to be done.
func refuses(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusNotAcceptable, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType:
		return true
	}
	return status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
}

// failed says what an answer came to that holds no result.
func failed(err error) tool.Outcome {
	answer := new(jsonrpc.Error)
	switch {
	case !errors.As(err, &answer):
		return tool.Unknown{Reason: reasonAnswer}
	case answer.Code == jsonrpc.CodeInvalidParams && answer.Message != "":
		return tool.NotSent{Reason: reasonParams + cut(answer.Message, maxFault)}
	case beforeTool(answer.Code):
		return tool.NotSent{Reason: reasonRefused}
	}
	return tool.Answered{Text: cut(answer.Message, maxText), Error: true}
}

// beforeTool reports whether a JSON-RPC error speaks of the request, not of the tool: an invalid
// request, an unknown method, invalid parameters, or MCP's own codes for headers and versions.
func beforeTool(code int64) bool {
	return code >= -32602 && code <= -32600 || code >= -32029 && code <= -32020
}

// app names what a person has to connect.
func (s *Server) app() string {
	if s.o.Server.Connection != "" {
		return s.o.Server.Connection
	}
	return s.o.Name
}
