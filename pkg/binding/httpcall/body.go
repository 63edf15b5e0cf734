package httpcall

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// MaxBody is the most bytes a request's body may have.
const MaxBody = 4 << 20

// ErrTooLarge says that a body is larger than [MaxBody]: the answer is 413.
var ErrTooLarge = a2a.ErrInvalidRequest("The body is larger than 4 MiB")

// Body reads a request's body. The error is an [*a2a.Error]: [ErrTooLarge], or that the body could
// not be read to its end.
func Body(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	b, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxBody))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, ErrTooLarge
	case err != nil:
		return nil, a2a.ErrInvalidRequest("The body ended early")
	}
	return b, nil
}

// MediaType checks the media type of a request's body, before it is parsed. A missing one
// is refused as well: a web page can send such a request to a server on its visitor's own machine
// without asking. So is a body that is compressed. The error is an [*a2a.Error].
func MediaType(r *http.Request, allowed ...string) error {
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return a2a.ErrContentTypeNotSupported(coding)
	}
	given := r.Header.Get("Content-Type")
	mediaType, _, err := mime.ParseMediaType(given)
	if err != nil || !slices.Contains(allowed, mediaType) {
		return a2a.ErrContentTypeNotSupported(given)
	}
	return nil
}

// Accepts reports whether a caller takes an answer of one of the media types, by name or by range, the
// narrowest of which counts (RFC 9110, 12.5.1). One that says nothing takes all.
func Accepts(r *http.Request, mediaTypes ...string) bool {
	if r.Header.Get("Accept") == "" {
		return true
	}
	named, refused := accepted(r)
	return slices.ContainsFunc(mediaTypes, func(mediaType string) bool {
		family, _, _ := strings.Cut(mediaType, "/")
		for _, which := range []string{mediaType, family + "/*", "*/*"} {
			if takes := slices.Contains(named, which); takes || slices.Contains(refused, which) {
				return takes
			}
		}
		return false
	})
}

// Prefers reports whether a caller rather has its answer as mediaType than as fallback: it accepts
// only the former by name, or says nothing of either and sent its request so (SPEC-16).
func Prefers(r *http.Request, mediaType, fallback string) bool {
	named, refused := accepted(r)
	switch {
	case slices.Contains(refused, fallback):
		return Accepts(r, mediaType)
	case slices.Contains(named, mediaType):
		return !slices.Contains(named, fallback)
	case slices.Contains(named, fallback):
		return false
	}
	return MediaType(r, mediaType) == nil
}

// accepted are the media types, and ranges of them, that a request names as those of its answer, and those
// that it says it does not take.
func accepted(r *http.Request) (named, refused []string) {
	for _, value := range r.Header.Values("Accept") {
		for item := range strings.SplitSeq(value, ",") {
			mediaType, params, err := mime.ParseMediaType(item)
			switch {
			case err != nil:
			case zero(params["q"]):
				refused = append(refused, mediaType)
			default:
				named = append(named, mediaType)
			}
		}
	}
	return named, refused
}

// zero reports whether a weight says that its media type is not wanted.
func zero(weight string) bool {
	q, err := strconv.ParseFloat(weight, 64)
	return err == nil && q == 0
}
