package httpcall

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// HeaderIdempotencyKey makes a new message's repeat answer with the first one's task.
const HeaderIdempotencyKey = "Idempotency-Key"

// HeaderLastEventID names the last event that a follower saw, to continue behind it.
const HeaderLastEventID = "Last-Event-ID"

// Admit authenticates a request and reads its headers. Where that fails it has answered, with 401
// and a challenge or with 500, before anything else is looked at, and returns false.
func Admit(w http.ResponseWriter, r *http.Request, s *server.Server, binding string) (server.CallContext, bool) {
	principal, err := s.Authenticate(r)
	if err != nil {
		Refuse(w, err)
		return server.CallContext{}, false
	}
	return server.CallContext{
		Principal:      principal,
		Binding:        binding,
		Extensions:     a2a.ParseExtensions(r.Header.Values(a2a.HeaderExtensions)),
		IdempotencyKey: r.Header.Get(HeaderIdempotencyKey),
		LastEventID:    r.Header.Get(HeaderLastEventID),
	}, true
}

// Refuse answers with an error of authentication: 401 and a challenge, or 500.
func Refuse(w http.ResponseWriter, err error) {
	status, e := http.StatusUnauthorized, &a2a.Error{Code: a2a.CodePermissionDenied, Message: "Authentication is required"}
	var unauthenticated *access.Unauthenticated
	switch {
	case errors.As(err, &unauthenticated):
		w.Header().Set("WWW-Authenticate", unauthenticated.Challenge)
	case errors.As(err, &e):
		status = http.StatusInternalServerError
	}
	Write(w, status, a2a.MediaTypeJSON, a2a.EncodeHTTPError(e, status))
}

// Version reports whether a request asks for a version of the protocol that is spoken here, by
// header or, without one, by query parameter (SPEC-01, R-29). The error is an [*a2a.Error].
func Version(r *http.Request) error {
	version := r.Header.Get(a2a.HeaderVersion)
	if version == "" {
		version = queryVersion(r.URL.Query())
	}
	if !a2a.SupportedVersion(version) {
		return a2a.ErrVersionNotSupported(version)
	}
	return nil
}

// queryVersion is the version among query parameters, whose name is of any case; all of them, which is
// none, where they differ.
func queryVersion(q url.Values) string {
	var said []string
	for name, values := range q {
		if strings.EqualFold(name, a2a.HeaderVersion) {
			said = append(said, values...)
		}
	}
	slices.Sort(said)
	said = slices.DeleteFunc(slices.Compact(said), func(v string) bool { return v == "" })
	return strings.Join(said, ", ")
}

// Activated tells the caller which extensions its call activated (SPEC-02).
func Activated(w http.ResponseWriter, uris []string) {
	if len(uris) > 0 {
		w.Header().Set(a2a.HeaderExtensions, a2a.FormatExtensions(uris))
	}
}

// Write answers with a body. Answers are the caller's own: no cache keeps them.
func Write(w http.ResponseWriter, status int, mediaType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(body) // a caller that went away is nobody to tell
}
