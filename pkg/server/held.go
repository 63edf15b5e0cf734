package server

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// GetHeldCall is a method of our own, off unless [Options.Journal] is set: the call that the open
// approval of a task is about, as it is frozen. Its parameters are taskId and
// interactionId; its result is a [HeldCall].
const GetHeldCall = "GetHeldCall"

// HeldCall is what a person who may approve a call is shown.
type HeldCall struct {
	Interaction interaction.Interaction `json:"interaction"`
	Call        agent.Call              `json:"call"`
}

// LevelAudit is above every level that a log may begin at: what it tells of is always written.
const LevelAudit = slog.LevelError + 4

// errFrozen says that a frozen call is not what was hashed when it was held.
var errFrozen = errors.New("server: a held call has changed")

// heldCall reads the call that an open approval is about, and leaves a line in the log of who did.
func (s *Server) heldCall(ctx context.Context, c CallContext, params json.RawMessage) (any, error) {
	if s.o.Journal == nil {
		return nil, a2a.ErrMethodNotFound()
	}
	req, err := a2a.DecodeRequest[a2a.GetHeldCallRequest](params)
	if err != nil {
		return nil, err
	}
	taskID, id := req.TaskID, req.InteractionID
	now, err := s.read(ctx, c.key(taskID))
	if err != nil {
		return nil, err
	}
	open, ok := now.record.Open()
	if !ok || open.ID != id || open.Kind != interaction.Approval || c.Principal.Anonymous() {
		return nil, a2a.ErrUnsupported("The interaction is no open approval of the caller's", map[string]string{"taskId": taskID, "interactionId": id})
	}
	call, err := s.frozen(ctx, now.record.Key, open.EffectID())
	if err != nil {
		return nil, err
	}
	s.o.Log.Log(ctx, LevelAudit, "server: a held call was read", "task", taskID, "interaction", id, "subject", c.Principal.Subject, "hash", call.Hash)
	return HeldCall{open, call}, nil
}

// frozen reads a call that an agent froze, and checks that it is what was hashed then.
func (s *Server) frozen(ctx context.Context, k task.Key, effectID string) (call agent.Call, err error) {
	name := task.AgentRows + agent.CallRows + effectID
	for row, err := range s.o.Journal(ctx, k, name) {
		switch {
		case err != nil:
			return call, err
		case row.Name != name:
			continue
		case json.Unmarshal(row.Value, &call) != nil || agent.CallHash(call.Server, call.Tool, call.Arguments) != call.Hash:
			return call, errFrozen
		}
		return call, nil
	}
	return call, a2a.ErrUnsupported("The agent keeps no call to show", map[string]string{"taskId": k.ID})
}
