package card_test

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/card"
)

// CARD-08: what a caller may see is merged over the card.
func TestMerge(t *testing.T) {
	t.Parallel()
	skill := func(id, name string) a2a.AgentSkill { return a2a.AgentSkill{ID: id, Name: name} }
	base := a2a.AgentCard{
		Name: "Coder", Description: "Codes.", Version: "1", DefaultInputModes: []string{"text/plain"},
		SupportedInterfaces: []a2a.AgentInterface{{URL: "https://a.example"}}, Capabilities: a2a.AgentCapabilities{Streaming: true},
		Skills: []a2a.AgentSkill{skill("a", "A"), skill("b", "B")}, Signatures: []a2a.AgentCardSignature{{Signature: "s"}},
		SecuritySchemes: map[string]a2a.SecurityScheme{"one": {}},
	}
	got := card.Merge(base, a2a.AgentCard{
		Description: "Codes, also for you.", DocumentationURL: "https://docs.example", Provider: &a2a.AgentProvider{Organization: "Acme"},
		DefaultInputModes: []string{"image/png"}, Skills: []a2a.AgentSkill{skill("b", "B!"), skill("c", "C")},
		SupportedInterfaces: []a2a.AgentInterface{{URL: "https://evil.example"}}, Capabilities: a2a.AgentCapabilities{PushNotifications: true},
		SecuritySchemes: map[string]a2a.SecurityScheme{"two": {}},
	})
	want := base
	want.Description, want.DocumentationURL, want.Provider = "Codes, also for you.", "https://docs.example", &a2a.AgentProvider{Organization: "Acme"}
	want.DefaultInputModes, want.Skills = []string{"image/png"}, []a2a.AgentSkill{skill("a", "A"), skill("b", "B!"), skill("c", "C")}
	want.SecuritySchemes, want.Signatures = map[string]a2a.SecurityScheme{"one": {}, "two": {}}, nil
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if base.Skills[1].Name != "B" || len(base.SecuritySchemes) != 1 || base.Signatures == nil {
		t.Error("the card itself was changed")
	}
}

// cards that were made ahead.
func TestRead(t *testing.T) {
	t.Parallel()
	dir := fstest.MapFS{"a.json": {Data: []byte(`{"name":"a"}`)}, "a.extended.json": {Data: []byte(`{"description":"more"}`)}, "b.json": {Data: []byte(`{"name":"b"}`)}, "c.json": {Data: []byte(`{`)}, "d.json": {Data: []byte(`{}`)}, "d.extended.json": {Data: []byte(`[`)}}
	for agent, extended := range map[string]bool{"a": true, "b": false} {
		c, more, err := card.Read(dir, agent)
		if err != nil || c.Name != agent || (more != nil) != extended {
			t.Errorf("%s: got %+v, %+v, %v", agent, c, more, err)
		}
	}
	for _, broken := range []string{"c", "d", "none"} {
		if _, _, err := card.Read(dir, broken); err == nil {
			t.Errorf("%s: got no error", broken)
		}
	}
}
