package card_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/card"
)

func content() a2a.AgentCard {
	return a2a.AgentCard{Name: "Coder", Description: "Writes code.", Version: "1.2.3"}
}

// CARD-01, CARD-03, CARD-04, CARD-05, INT-20: the whole card, as it is served.
func TestBuild(t *testing.T) {
	t.Parallel()
	in := content()
	in.SupportedInterfaces = []a2a.AgentInterface{{URL: "https://elsewhere.example"}}
	in.Capabilities = a2a.AgentCapabilities{
		Streaming: true, PushNotifications: true, ExtendedAgentCard: true,
		Extensions: []a2a.AgentExtension{{URI: "urn:example:own"}},
	}
	in.Signatures = []a2a.AgentCardSignature{{Protected: "e30", Signature: "c2ln"}} // CARD-06
	c, err := card.Build(in, card.Options{
		URL:        "https://agents.example.com/coder/",
		Interfaces: []a2a.AgentInterface{{URL: "agents.example.com:443", ProtocolBinding: a2a.BindingGRPC}},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"name":"Coder","description":"Writes code.","supportedInterfaces":[` +
		`{"url":"https://agents.example.com/coder","protocolBinding":"JSONRPC","protocolVersion":"1.0"},` +
		`{"url":"https://agents.example.com/coder","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},` +
		`{"url":"agents.example.com:443","protocolBinding":"GRPC","protocolVersion":"1.0"}],` +
		`"version":"1.2.3","capabilities":{"streaming":true,"pushNotifications":false,"extensions":[` +
		`{"uri":"urn:example:own","required":false},` +
		`{"uri":"https://docs.nylorun.com/a2a/interactions/v1","description":"Carries an open approval, question or connection request, and its answer on the same task.","required":false}],` +
		`"extendedAgentCard":false},"defaultInputModes":["text/plain","application/json"],"defaultOutputModes":["text/plain"],` +
		`"skills":[],"signatures":[{"protected":"e30","signature":"c2ln"}]}`
	if diff := cmp.Diff(want, string(c.JSON())); diff != "" {
		t.Errorf("card (-want +got):\n%s", diff)
	}
	if c.Path() != "/coder" {
		t.Errorf("path: got %q, want /coder", c.Path())
	}
	if len(in.Capabilities.Extensions) != 1 {
		t.Error("the content given was changed")
	}
}

// CARD-05: where answers are buffered nothing is streamed.
func TestBuildBuffered(t *testing.T) {
	t.Parallel()
	c, err := card.Build(content(), card.Options{URL: "http://localhost:8080", Buffered: true})
	if err != nil {
		t.Fatal(err)
	}
	if c.Value().Capabilities.Streaming {
		t.Error("the card promises streams that are none")
	}
}

// SRV-16: the bindings served are a setting.
func TestBuildBindings(t *testing.T) {
	t.Parallel()
	c, err := card.Build(content(), card.Options{URL: "http://localhost:8080", Bindings: []string{a2a.BindingHTTPJSON}})
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Value().SupportedInterfaces; len(got) != 1 || got[0].ProtocolBinding != a2a.BindingHTTPJSON {
		t.Errorf("got interfaces %v, want HTTP+JSON alone", got)
	}
	if c.Serves(a2a.BindingJSONRPC) || !c.Serves(a2a.BindingHTTPJSON) {
		t.Error("got JSON-RPC served, want HTTP+JSON alone")
	}
}

// SPEC-15: the tag changes with the card, and with nothing else.
func TestETag(t *testing.T) {
	t.Parallel()
	build := func(version string) string {
		in := content()
		in.Version = version
		c, err := card.Build(in, card.Options{URL: "https://a.example"})
		if err != nil {
			t.Fatal(err)
		}
		return c.ETag()
	}
	first, same, other := build("1"), build("1"), build("2")
	if first != same || first == other {
		t.Errorf("got tags %s, %s and %s, want the first two alike", first, same, other)
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(*a2a.AgentCard, *card.Options)
		want string
	}{
		{"no name", func(c *a2a.AgentCard, _ *card.Options) { c.Name = "" }, "name is required"},
		{"no description", func(c *a2a.AgentCard, _ *card.Options) { c.Description = "" }, "description is required"},
		{"no version", func(c *a2a.AgentCard, _ *card.Options) { c.Version = "" }, "version is required"},
		{"provider", func(c *a2a.AgentCard, _ *card.Options) { c.Provider = &a2a.AgentProvider{} }, "provider.organization"},
		{"skill", func(c *a2a.AgentCard, _ *card.Options) { c.Skills = []a2a.AgentSkill{{ID: "a", Name: "b"}} }, "skills[0].description"},
		{"no url", func(_ *a2a.AgentCard, o *card.Options) { o.URL = "" }, "url must be absolute"},
		{"other scheme", func(_ *a2a.AgentCard, o *card.Options) { o.URL = "ftp://a.example" }, "url must be absolute"},
		{"query", func(_ *a2a.AgentCard, o *card.Options) { o.URL = "https://a.example/?a" }, "no user, query or fragment"},
		{"escapes", func(_ *a2a.AgentCard, o *card.Options) { o.URL = "https://a.example/a%2Fb" }, "no escapes"},
		{"binding", func(_ *a2a.AgentCard, o *card.Options) { o.Bindings = []string{a2a.BindingGRPC} }, "bindings must be of"},
		{"binding twice", func(_ *a2a.AgentCard, o *card.Options) { o.Bindings = []string{"JSONRPC", "JSONRPC"} }, "each once"},
		{"none", func(_ *a2a.AgentCard, o *card.Options) { o.Bindings = []string{} }, "needs an interface"},
		{"interface", func(_ *a2a.AgentCard, o *card.Options) { o.Interfaces = []a2a.AgentInterface{{URL: "a:1"}} }, "interfaces[0].protocolBinding"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			in, o := content(), card.Options{URL: "https://a.example"}
			tt.edit(&in, &o)
			if _, err := card.Build(in, o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}
