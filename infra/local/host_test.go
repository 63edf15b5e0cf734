package main

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

// where nobody is authenticated, no page of another name gets in by pointing it here.
func TestLoopbackOnly(t *testing.T) {
	t.Parallel()
	h := loopbackOnly(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	for host, want := range map[string]int{
		"localhost": 204, "localhost:8080": 204, "LocalHost:8080": 204, "127.0.0.1:8080": 204, "127.1.2.3": 204,
		"[::1]:8080": 204, "[::1]": 204,
		"evil.example": 421, "evil.example:8080": 421, "localhost.evil.example": 421, "127.0.0.1.evil.example:8080": 421,
		"10.0.0.1:8080": 421, "": 421, "localhost:8080:1": 421,
	} {
		r := httptest.NewRequest(http.MethodPost, "/", nil)
		r.Host = host
		w := httptest.NewRecorder()
		if h.ServeHTTP(w, r); w.Code != want {
			t.Errorf("host %q: got %d, want %d", host, w.Code, want)
		}
	}
}
