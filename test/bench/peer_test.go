package bench

import (
	"context"
	"iter"
	"net/http"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
)

// peerEcho is the echo agent on a2a-go: submitted, working, one artifact, completed, as ours.
type peerEcho struct{}

func (peerEcho) Execute(_ context.Context, e *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		events := []a2a.Event{
			a2a.NewSubmittedTask(e, e.Message),
			a2a.NewStatusUpdateEvent(e, a2a.TaskStateWorking, nil),
			a2a.NewArtifactEvent(e, e.Message.Parts...),
			a2a.NewStatusUpdateEvent(e, a2a.TaskStateCompleted, nil),
		}
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (peerEcho) Cancel(_ context.Context, e *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		yield(a2a.NewStatusUpdateEvent(e, a2a.TaskStateCanceled, nil), nil)
	}
}

func peer() http.Handler { return a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(peerEcho{})) }
