package loss

import (
	"io"
	"log"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy stands before emulated AWS and drops the connection instead of some of DynamoDB's answers.
type proxy struct {
	URL     string
	drop    float64
	dropped atomic.Int64

	mu   sync.Mutex
	rand *rand.Rand
}

func newProxy(t *testing.T, endpoint string, seed uint64, drop float64) *proxy {
	t.Helper()
	target, err := url.Parse(endpoint)
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{drop: drop, rand: rand.New(rand.NewPCG(seed, 0))}
	behind := httputil.NewSingleHostReverseProxy(target)
	behind.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
	behind.ErrorLog = log.New(io.Discard, "", 0) // of callers that went away
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.Header.Get("X-Amz-Target"), "DynamoDB_") || !p.unlucky() {
			behind.ServeHTTP(w, r)
			return
		}
		took := httptest.NewRecorder()
		behind.ServeHTTP(took, r) // it takes effect
		_, _ = io.Copy(io.Discard, took.Result().Body)
		p.dropped.Add(1)
		panic(http.ErrAbortHandler) // and nobody hears of it
	}))
	t.Cleanup(s.Close)
	p.URL = s.URL
	return p
}

func (p *proxy) unlucky() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.rand.Float64() < p.drop
}
