package binding

import (
	"bytes"
	"net/http"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/card"
)

// serveCard serves a card to everybody: no version, no authentication. Caches keep it for five
// minutes and then ask whether it changed (SPEC-15).
func serveCard(c *card.Card) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, http.StatusText(http.StatusMethodNotAllowed), http.StatusMethodNotAllowed)
			return
		}
		h := w.Header()
		h.Set("Content-Type", a2a.MediaTypeJSON)
		h.Set("Cache-Control", "public, max-age=300")
		h.Set("ETag", c.ETag())
		h.Set("X-Content-Type-Options", "nosniff")
		http.ServeContent(w, r, "", c.Modified(), bytes.NewReader(c.JSON()))
	})
}
