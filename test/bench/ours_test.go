package bench

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/interlude-a2a/interlude/infra/local/system"
	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
)

// ours is the whole system with the echoing test agent, in memory or in a folder.
func ours(b *testing.B, data string) http.Handler {
	b.Helper()
	return oursWith(b, data, &agenttest.Agent{})
}

// oursWith is the whole system with an agent.
func oursWith(b *testing.B, data string, a agent.Agent) http.Handler {
	b.Helper()
	s, err := system.Open(system.Options{
		Agent: a, URL: "http://localhost", Data: data,
		Card: a2a.AgentCard{Name: "echo", Description: "echoes", Version: "1", Skills: []a2a.AgentSkill{}},
	})
	if err != nil {
		b.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { s.Run(ctx) })
	b.Cleanup(func() { stop(); wg.Wait(); s.Close() })
	return s
}
