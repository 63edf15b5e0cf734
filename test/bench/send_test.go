package bench

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkSend sends echoes one after the other, blocking until each task is completed, and from
// eight callers at once. Its figures compare only within one run.
func BenchmarkSend(b *testing.B) {
	for _, s := range []struct {
		name string
		open func(b *testing.B) http.Handler
	}{
		{"a2a-go/memory", func(*testing.B) http.Handler { return peer() }},
		{"interlude/memory", func(b *testing.B) http.Handler { return ours(b, "") }},
		{"interlude/sqlite", func(b *testing.B) http.Handler { return ours(b, b.TempDir()) }},
	} {
		b.Run(s.name+"/1", func(b *testing.B) {
			h := s.open(b)
			var took []time.Duration
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				began := time.Now()
				send(b, h, i)
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
		b.Run(s.name+"/8", func(b *testing.B) {
			h := s.open(b)
			var n atomic.Int64
			b.SetParallelism(4)
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					send(b, h, int(n.Add(1)))
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "sends/s")
		})
	}
}

func send(b *testing.B, h http.Handler, i int) {
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"SendMessage","params":{"message":{"messageId":"m-%d","role":"ROLE_USER","parts":[{"text":"hello, world"}]}}}`, i, i)
	req := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, req)
	if rec.Code != http.StatusOK || !strings.Contains(rec.Body.String(), "TASK_STATE_COMPLETED") {
		b.Errorf("got %d %s", rec.Code, rec.Body)
	}
}
