package binding

import (
	"net/http"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/binding/jsonrpc"
	"github.com/interlude-a2a/interlude/pkg/binding/rest"
	"github.com/interlude-a2a/interlude/pkg/card"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// handler routes between the bindings that a card serves. One that it does not is nil.
type handler struct {
	path    string // of the card's URL
	card    http.Handler
	jsonrpc http.Handler
	rest    http.Handler
}

// New serves s and its card c: the card, and the bindings that it lists at its own URL (SRV-16).
func New(s *server.Server, c *card.Card) http.Handler {
	h := handler{path: c.Path(), card: serveCard(c)}
	if c.Serves(a2a.BindingJSONRPC) {
		h.jsonrpc = jsonrpc.New(s)
	}
	if c.Serves(a2a.BindingHTTPJSON) {
		h.rest = http.StripPrefix(h.path, rest.New(s))
	}
	return h
}

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.EscapedPath()
	below, mounted := strings.CutPrefix(path, h.path)
	switch {
	case path == card.WellKnown || mounted && below == card.WellKnown:
		h.card.ServeHTTP(w, r)
	case h.jsonrpc != nil && mounted && (below == "" || below == "/"):
		h.jsonrpc.ServeHTTP(w, r)
	case h.rest != nil && mounted && strings.HasPrefix(below, "/"):
		h.rest.ServeHTTP(w, r)
	default:
		http.NotFound(w, r)
	}
}
