package tracker

import (
	"bytes"
	"crypto/subtle"
	"encoding/json"
	"io"
	"net/http"
)

const maxRequest = 1 << 20

// request is what of an MCP request decides its fate.
type request struct {
	Method string `json:"method"`
	Params struct {
		Name string `json:"name"`
	} `json:"params"`
}

// ServeHTTP implements [http.Handler].
func (t *Tracker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !t.authorized(r) {
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		http.Error(w, "another token is needed", http.StatusUnauthorized)
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	var req request
	_ = json.Unmarshal(body, &req) // what is no call goes to the server as it is
	if req.Method != "tools/call" {
		t.http.ServeHTTP(w, r)
		return
	}
	t.serveCall(w, r, t.fault(req.Params.Name))
}

func (t *Tracker) serveCall(w http.ResponseWriter, r *http.Request, f Fault) {
	t.mu.Lock()
	t.requests = append(t.requests, r.Header.Clone())
	t.mu.Unlock()
	switch {
	case f.Status != 0:
		http.Error(w, http.StatusText(f.Status), f.Status)
	case f.Lose:
		t.http.ServeHTTP(lost{}, r)
		panic(http.ErrAbortHandler) // closes the connection without an answer
	default:
		t.http.ServeHTTP(w, r)
	}
}

func (t *Tracker) authorized(r *http.Request) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	given := []byte(r.Header.Get("Authorization"))
	return t.token == "" || subtle.ConstantTimeCompare(given, []byte("Bearer "+t.token)) == 1
}

// onlyBefore2026 refuses what servers with sessions did not know.
func onlyBefore2026(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Protocol-Version") >= "2026" {
			http.Error(w, "unsupported protocol version", http.StatusBadRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// lost is an answer that nobody gets.
type lost struct{}

func (lost) Header() http.Header         { return http.Header{} }
func (lost) Write(p []byte) (int, error) { return len(p), nil }
func (lost) WriteHeader(int)             {}
func (lost) Flush()                      {}
