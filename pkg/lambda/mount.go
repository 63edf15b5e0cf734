package lambda

import (
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// Mount serves what build makes for the URL that callers have: publicURL, or without one
// that of the gateway's domain and stage, for which build is first called when a request comes by
// it; what it fails to make answers 500 and is tried again. A custom domain that maps a path to
// the stage needs a publicURL.
//
// The URL's path is plain: nothing in it is escaped. The handler sees requests below that URL, as
// callers send them: API Gateway leaves the stage out of an event's path.
func Mount(publicURL string, build func(url string) (http.Handler, error), o Options) (http.Handler, error) {
	m := &mounts{build: build, o: o, made: map[string]http.Handler{}}
	if publicURL == "" {
		return m, nil
	}
	return m.at(strings.TrimRight(publicURL, "/"))
}

type mounts struct {
	build func(url string) (http.Handler, error)
	o     Options

	mu   sync.Mutex
	made map[string]http.Handler // by URL; there are as many as the gateway has domains
}

func (m *mounts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h, err := m.at(gatewayURL(r))
	if err != nil {
		reference := task.NewID()
		m.o.log().ErrorContext(r.Context(), "lambda: could not serve a URL", "reference", reference, "error", err)
		fail(w, http.StatusInternalServerError, a2a.ErrInternal(reference))
		return
	}
	h.ServeHTTP(w, r)
}

// at is the handler below a URL.
func (m *mounts) at(mountURL string) (http.Handler, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if h, ok := m.made[mountURL]; ok {
		return h, nil
	}
	u, err := url.Parse(mountURL)
	if err != nil {
		return nil, err
	}
	h, err := m.build(mountURL)
	if err != nil {
		return nil, err
	}
	h = below(u.Path, h)
	m.made[mountURL] = h
	return h, nil
}

// gatewayURL is where API Gateway was called. Its own domains have the stage in their paths; a
// custom domain has a stage of its own.
func gatewayURL(r *http.Request) string {
	c := gateway(r.Context())
	at := "https://" + r.URL.Host
	if strings.Contains(c.DomainName, ".execute-api.") && c.Stage != "" {
		at += "/" + c.Stage
	}
	return at
}

// below puts path before the paths of requests that don't begin with it.
func below(path string, h http.Handler) http.Handler {
	if path == "" {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if given := r.URL.EscapedPath(); given != path && !strings.HasPrefix(given, path+"/") {
			u := *r.URL
			u.Path, u.RawPath = path+u.Path, path+given
			r = r.Clone(r.Context())
			r.URL = &u
		}
		h.ServeHTTP(w, r)
	})
}
