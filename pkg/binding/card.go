package binding

import (
	"bytes"
	"net/http"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/card"
)

// serveCard serves a card to everybody, pages of other origins included: no version, no
// authentication. Caches keep it for five minutes and then ask whether it changed (SPEC-15).
func serveCard(c *card.Card) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Origin", "*")
		h.Set("Access-Control-Expose-Headers", "ETag, Last-Modified")
		switch r.Method {
		case http.MethodGet, http.MethodHead:
		case http.MethodOptions: // a browser asks first where its page sends headers of its own
			h.Set("Access-Control-Allow-Methods", "GET, HEAD")
			h.Set("Access-Control-Allow-Headers", "*")
			h.Set("Access-Control-Max-Age", "86400")
			w.WriteHeader(http.StatusNoContent)
			return
		default:
			h.Set("Allow", "GET, HEAD, OPTIONS")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		h.Set("Content-Type", a2a.MediaTypeJSON)
		h.Set("Cache-Control", "public, max-age=300")
		h.Set("ETag", c.ETag())
		h.Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", c.Modified(), bytes.NewReader(c.JSON()))
	})
}
