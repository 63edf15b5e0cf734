package bootstrap

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
	"testing"
)

// gate stands between a function and emulated AWS. Once it is shut it holds back the first write of
// a task's next revision, until it is opened.
type gate struct {
	URL    string
	shut   atomic.Bool
	held   chan struct{}                   // closed when a write is held
	open   chan struct{}                   // to be closed to let it through
	answer chan *httptest.ResponseRecorder // gets what AWS says of that write

	testing.TB
	aws *httputil.ReverseProxy
}

func (b *bed) newGate() *gate {
	b.Helper()
	to, err := url.Parse(b.settings["AWS_ENDPOINT_URL"])
	if err != nil {
		b.Fatal(err)
	}
	g := &gate{
		held: make(chan struct{}), open: make(chan struct{}), answer: make(chan *httptest.ResponseRecorder, 1),
		TB: b.TB, aws: httputil.NewSingleHostReverseProxy(to),
	}
	g.aws.ErrorHandler = func(http.ResponseWriter, *http.Request, error) {} // the function is gone
	server := httptest.NewServer(g)
	g.URL = server.URL
	b.Cleanup(func() { server.CloseClientConnections(); server.Close() })
	return g
}

func (g *gate) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if !bytes.Contains(body, []byte(`"#rev"`)) || !g.shut.CompareAndSwap(true, false) {
		g.aws.ServeHTTP(w, r)
		return
	}
	close(g.held)
	select {
	case <-g.open:
	case <-g.Context().Done(): // of the test, which has failed
		return
	}
	answer := httptest.NewRecorder()
	g.aws.ServeHTTP(answer, r.WithContext(context.WithoutCancel(r.Context()))) // whoever still waits
	g.answer <- answer
	maps.Copy(w.Header(), answer.Header())
	w.WriteHeader(answer.Code)
	w.Write(answer.Body.Bytes())
}
