package openai

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/harness/model"
)

// A key that was replaced since it was last looked up is worth another try; one that is wrong is
// not. An endpoint without a key is sent none.
func TestKey(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		key  func(_ context.Context, since time.Time) (string, error)
		sent string
		kind model.Kind
	}{
		"none":  {nil, "", model.KindRefused},
		"empty": {func(context.Context, time.Time) (string, error) { return "", nil }, "", model.KindRefused},
		"wrong": {func(context.Context, time.Time) (string, error) { return "bad", nil }, "Bearer bad", model.KindRefused},
		"replaced": {func(_ context.Context, since time.Time) (string, error) {
			return map[bool]string{true: "old", false: "new"}[since.IsZero()], nil
		}, "Bearer old", model.KindBusy},
		"gone": {func(_ context.Context, since time.Time) (string, error) {
			if since.IsZero() {
				return "old", nil
			}
			return "", errors.New("no such parameter")
		}, "Bearer old", model.KindRefused},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if got := r.Header.Get("Authorization"); got != tt.sent {
				t.Errorf("%s: sent %q, want %q", name, got, tt.sent)
			}
			w.WriteHeader(http.StatusUnauthorized)
		}))
		_, err := New(Options{BaseURL: s.URL, Key: tt.key}).Stream(t.Context(), ask, silent)
		var e *model.Error
		if !errors.As(err, &e) || e.Kind != tt.kind {
			t.Errorf("%s: got %v, want kind %s", name, err, tt.kind)
		}
		s.Close()
	}
}
