package harness_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/harness/model"
	"github.com/interlude-a2a/interlude/pkg/server"
)

// A caller who streams reads the answer as the model writes it; an attempt that fails is begun anew,
// and the whole answer replaces what was written.
func TestLiveText(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "", answer{text: "Hello there.", err: &model.Error{Kind: model.KindCut}})
		w.model.writes = func(say func(string)) {
			say("Hello ")
			time.Sleep(time.Second)
			say("there")
			time.Sleep(time.Second)
		}
		params, err := a2a.Marshal(a2a.SendMessageRequest{Message: a2a.Message{MessageID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{{Content: a2a.Text("Hi")}}}})
		if err != nil {
			t.Fatal(err)
		}
		out := w.server.Call(t.Context(), "SendStreamingMessage", json.RawMessage(params), server.CallContext{Principal: alice})
		var got []string
		for e, failed := range out.Events {
			if failed != nil {
				t.Fatal(failed)
			}
			if u := e.Response.ArtifactUpdate; u != nil {
				got = append(got, fmt.Sprint(u.Artifact.Parts[0].Content, " ", u.Append))
			}
		}
		want := []string{"Hello  false", "there true", "Hello  false", "there true", "Hello there. false"}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}
