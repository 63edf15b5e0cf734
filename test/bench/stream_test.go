package bench

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/interlude-a2a/interlude/pkg/agent"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

const streams = 1000

// BenchmarkStreams has 1,000 streams open on a task that works, and counts what one costs and how
// long after an event the last of them has it. The callers are in the process and cost nothing
// themselves.
func BenchmarkStreams(b *testing.B) {
	for _, s := range []struct {
		name string
		open func(b *testing.B, ticks <-chan string) http.Handler
	}{
		{"a2a-go/memory", func(_ *testing.B, ticks <-chan string) http.Handler {
			return a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(peerTicker{peerEcho{}, ticks}))
		}},
		{"interlude/memory", func(b *testing.B, ticks <-chan string) http.Handler { return oursWith(b, "", ticker{ticks}) }},
		{"interlude/sqlite", func(b *testing.B, ticks <-chan string) http.Handler { return oursWith(b, b.TempDir(), ticker{ticks}) }},
	} {
		b.Run(s.name, func(b *testing.B) { measureStreams(b, s.open) })
	}
}

// BenchmarkFirstEvent is how long a caller waits for the first event of a stream that begins a task.
func BenchmarkFirstEvent(b *testing.B) {
	for _, s := range []struct {
		name string
		open func(b *testing.B) http.Handler
	}{
		{"a2a-go/memory", func(*testing.B) http.Handler { return peer() }},
		{"interlude/memory", func(b *testing.B) http.Handler { return ours(b, "") }},
		{"interlude/sqlite", func(b *testing.B) http.Handler { return ours(b, b.TempDir()) }},
	} {
		b.Run(s.name, func(b *testing.B) {
			h := s.open(b)
			var took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				first := make(chan struct{}, 1)
				began, ended := time.Now(), make(chan struct{})
				go func() {
					defer close(ended)
					h.ServeHTTP(&caller{first: first}, rpc(b.Context(), i, "SendStreamingMessage",
						fmt.Sprintf(`{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":"hello"}]}}`, i)))
				}()
				<-first
				took = append(took, time.Since(began))
				<-ended
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "first-p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "first-p99-µs")
		})
	}
}

func measureStreams(b *testing.B, open func(*testing.B, <-chan string) http.Handler) {
	ticks := make(chan string)
	h := open(b, ticks)
	id := begin(b, h)
	before := used()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	first, had := make(chan struct{}, streams), make(chan time.Time, streams)
	var opened sync.WaitGroup
	for i := range streams {
		opened.Go(func() { subscribe(ctx, h, i, id, &caller{first: first, had: had}) })
	}
	for range streams {
		<-first
	}
	each := float64(used()-before) / streams
	var delays []time.Duration
	for i := 0; b.Loop(); i++ {
		ticks <- fmt.Sprintf("tick %d", i)
		began := time.Now()
		for range streams {
			delays = append(delays, (<-had).Sub(began))
		}
	}
	slices.Sort(delays)
	b.ReportMetric(each, "B/stream")
	b.ReportMetric(float64(delays[len(delays)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(delays[len(delays)*99/100].Microseconds()), "p99-µs")
	stop()
	opened.Wait()
}

// used is the memory in use, for objects and stacks.
func used() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.StackInuse
}

var taskID = regexp.MustCompile(`"task":\{.*?"id":"([^"]+)"`)

// begin starts a task that works until it is told otherwise.
func begin(b *testing.B, h http.Handler) string {
	b.Helper()
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, rpc(context.Background(), 0, "SendMessage",
		`{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"tick"}]},"configuration":{"returnImmediately":true}}`))
	m := taskID.FindStringSubmatch(rec.Body.String())
	if m == nil {
		b.Fatalf("got %s", rec.Body)
	}
	return m[1]
}

func subscribe(ctx context.Context, h http.Handler, i int, id string, w *caller) {
	h.ServeHTTP(w, rpc(ctx, i, "SubscribeToTask", fmt.Sprintf(`{"id":%q}`, id)))
}

func rpc(ctx context.Context, i int, method, params string) *http.Request {
	r := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, i, method, params)))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("A2A-Version", "1.0")
	return r
}

// caller notes when it has the task, and when each tick.
type caller struct {
	header http.Header
	first  chan<- struct{}
	had    chan<- time.Time
	line   []byte
	open   bool
}

func (c *caller) Header() http.Header {
	if c.header == nil {
		c.header = http.Header{}
	}
	return c.header
}

func (c *caller) WriteHeader(int) {}

func (c *caller) Write(p []byte) (int, error) {
	c.line = append(c.line, p...)
	return len(p), nil
}

func (c *caller) Flush() {
	switch {
	case !c.open && bytes.Contains(c.line, []byte(`"task":`)):
		c.open = true
		c.first <- struct{}{}
	case bytes.Contains(c.line, []byte(`"text":"tick `)):
		c.had <- time.Now()
	}
	c.line = c.line[:0]
}

// ticker is an agent that says each tick.
type ticker struct{ ticks <-chan string }

func (t ticker) Start(ctx context.Context, r agent.Run, _ agent.Input) (agent.Outcome, error) {
	for {
		select {
		case <-ctx.Done():
			return agent.More{}, nil
		case said := <-t.ticks:
			if err := r.Step(ctx, task.Step{Events: []task.Event{agent.StatusText(said)}}); err != nil {
				return nil, err
			}
		}
	}
}

func (t ticker) Resume(ctx context.Context, r agent.Run, in agent.Input, _ map[string]interaction.Answer) (agent.Outcome, error) {
	return t.Start(ctx, r, in)
}

// peerTicker is the same on a2a-go.
type peerTicker struct {
	peerEcho
	ticks <-chan string
}

func (t peerTicker) Execute(ctx context.Context, e *a2asrv.ExecutorContext) iter.Seq2[theirs.Event, error] {
	return func(yield func(theirs.Event, error) bool) {
		if !yield(theirs.NewSubmittedTask(e, e.Message), nil) {
			return
		}
		for {
			select {
			case <-ctx.Done():
				return
			case said := <-t.ticks:
				m := theirs.NewMessage(theirs.MessageRoleAgent, theirs.NewTextPart(said))
				if !yield(theirs.NewStatusUpdateEvent(e, theirs.TaskStateWorking, m), nil) {
					return
				}
			}
		}
	}
}
