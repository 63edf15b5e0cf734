package bootstrap

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// rounds is how often each program is started, at least.
const rounds = 15

// BenchmarkStart prints how big the functions are and how long they take from their exec to their
// first GET of an event, beside the yardsticks, of which one is the function of turns without agents
// from files: one after the other, round by round.
func BenchmarkStart(b *testing.B) {
	programs := []string{"empty", "clients", "api", "turn alone", "turn", "recover"}
	took := map[string][]time.Duration{}
	round := func() {
		for _, name := range programs {
			took[name] = append(took[name], startTime(b, name))
		}
	}
	for _, name := range programs { // builds, and warms the page cache
		startTime(b, name)
	}
	for b.Loop() {
		round()
	}
	for len(took["api"]) < rounds {
		round()
	}
	base := took["clients"]
	fmt.Printf("%-10s %9s %7s   %9s %7s %9s   (of clients; %d starts)\n", "program", "zip MB", "ratio", "min ms", "median", "ratio", len(base))
	for _, name := range programs {
		size := float64(zipped(b, name))
		fmt.Printf("%-10s %9.2f %7.2f   %9.1f %7.1f %9.2f\n", name, size/1e6, size/float64(zipped(b, "clients")),
			millis(slices.Min(took[name])), millis(median(took[name])), millis(median(took[name]))/millis(median(base)))
	}
}

// startTime starts a program once.
func startTime(b *testing.B, name string) time.Duration {
	b.Helper()
	asked := make(chan time.Time, 1)
	api := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- time.Now()
		<-r.Context().Done()
	}))
	defer api.Close()
	cmd := exec.Command(bootstrap(b, name))
	cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + strings.TrimPrefix(api.URL, "http://"), "AWS_REGION=eu-central-1"}
	for k, v := range working {
		cmd.Env = append(cmd.Env, k+"="+v)
	}
	if name == "turn" {
		cmd.Env = append(cmd.Env, "AGENT=coder")
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	select {
	case at := <-asked:
		return at.Sub(began)
	case <-time.After(patience):
		b.Fatalf("%s asks for no event", name)
		return 0
	}
}

func median(d []time.Duration) time.Duration {
	return slices.Sorted(slices.Values(d))[len(d)/2]
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
