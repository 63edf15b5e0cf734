package harness

import (
	"log/slog"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/access"
	"github.com/interlude-a2a/interlude/pkg/harness/definition"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/harness/tool"
)

func TestNew(t *testing.T) {
	t.Parallel()
	whole := Options{
		Definition: &definition.Definition{},
		Models:     func(string) (model.Model, string, error) { return nil, "", nil },
		Connect: func(string, definition.Server, access.Principal, time.Time) (tool.Server, error) {
			return nil, nil
		},
	}
	for what, lose := range map[string]func(o *Options){
		"definition": func(o *Options) { o.Definition = nil },
		"models":     func(o *Options) { o.Models = nil },
		"servers":    func(o *Options) { o.Connect = nil },
	} {
		o := whole
		lose(&o)
		if _, err := New(o); err == nil {
			t.Errorf("there is an agent without %s", what)
		}
	}
	a, err := New(whole)
	if err != nil || a.o.Parallel != 8 || a.o.Now == nil || a.o.Log == nil {
		t.Errorf("defaults: got %+v, %v", a, err)
	}
	own := whole
	own.Parallel, own.Log, own.Now = 2, slog.New(slog.DiscardHandler), func() time.Time { return time.Unix(7, 0) }
	if a, err := New(own); err != nil || a.o.Parallel != 2 || a.o.Log != own.Log || a.o.Now().Unix() != 7 {
		t.Errorf("own: got %+v, %v", a, err)
	}
}

// A server that has nothing to close is let go of as it is.
func TestCloseOfPlainServer(t *testing.T) {
	t.Parallel()
	(&slice{servers: map[string]tool.Server{"plain": struct{ tool.Server }{}}}).close()
}
