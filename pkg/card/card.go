package card

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// WellKnown is the path of a card under an origin (CARD-02).
const WellKnown = "/.well-known/agent-card.json"

// Options are what a deployment adds to a card's content. URL is required.
type Options struct {
	// URL is where the bindings are mounted (CARD-03): absolute, http or https.
	URL string
	// Bindings are those served there, a subset of JSONRPC and HTTP+JSON, the preferred one
	// first; default both, in that order (SRV-16).
	Bindings []string
	// Interfaces are listed after them: gRPC, or a binding of one's own. The protocol version
	// is 1.0 unless it says otherwise (CARD-04).
	Interfaces []a2a.AgentInterface
	// Buffered says that answers reach callers only whole: nothing is streamed (CARD-05).
	Buffered bool
	// Extended says that callers may ask for a card that tells them more (CARD-05, CARD-08).
	Extended bool
	// Modified is when the content last changed, for caches; zero: unknown.
	Modified time.Time
}

// Card is a card as it is served. It does not change.
type Card struct {
	value    a2a.AgentCard
	json     []byte
	etag     string
	modified time.Time
	path     string
	bindings []string
}

// Build makes the card of an agent (CARD-01). Interfaces and capabilities of the content are
// replaced, but for the extensions it declares (CARD-03, CARD-05); modes it leaves out get their
// defaults; its signatures are served as given (CARD-06). The error names every bad field.
func Build(content a2a.AgentCard, o Options) (*Card, error) {
	if o.Bindings == nil {
		o.Bindings = []string{a2a.BindingJSONRPC, a2a.BindingHTTPJSON}
	}
	if len(content.DefaultInputModes) == 0 {
		content.DefaultInputModes = []string{"text/plain", a2a.MediaTypeJSON}
	}
	if len(content.DefaultOutputModes) == 0 {
		content.DefaultOutputModes = []string{"text/plain"}
	}
	o.URL = strings.TrimRight(o.URL, "/")
	if err := check(content, o); err != nil {
		return nil, err
	}
	content.SupportedInterfaces = interfaces(o)
	content.Capabilities = a2a.AgentCapabilities{Streaming: !o.Buffered, ExtendedAgentCard: o.Extended, Extensions: extensions(content.Capabilities.Extensions)}

	b, err := a2a.Marshal(content)
	if err != nil {
		return nil, err
	}
	mount, err := url.Parse(o.URL)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(b)
	return &Card{
		value:    content,
		json:     b,
		etag:     `"` + hex.EncodeToString(sum[:16]) + `"`,
		modified: o.Modified,
		path:     mount.Path,
		bindings: slices.Clone(o.Bindings),
	}, nil
}

// interfaces lists the bindings served here, then the operator's (CARD-04).
func interfaces(o Options) []a2a.AgentInterface {
	var all []a2a.AgentInterface
	for _, b := range o.Bindings {
		all = append(all, a2a.AgentInterface{URL: o.URL, ProtocolBinding: b})
	}
	all = append(all, o.Interfaces...)
	for i := range all {
		if all[i].ProtocolVersion == "" {
			all[i].ProtocolVersion = a2a.ProtocolVersion
		}
	}
	return all
}

// extensions are the declared ones and the one for interactions (INT-20).
func extensions(declared []a2a.AgentExtension) []a2a.AgentExtension {
	ours := interaction.Extension()
	all := slices.DeleteFunc(slices.Clone(declared), func(e a2a.AgentExtension) bool { return e.URI == ours.URI })
	return append(all, ours)
}

// Value is the card; it must not be changed.
func (c *Card) Value() a2a.AgentCard { return c.value }

// JSON is the card as it is served; it must not be changed.
func (c *Card) JSON() []byte { return c.json }

// ETag is the entity tag of [Card.JSON], quoted (SPEC-15).
func (c *Card) ETag() string { return c.etag }

// Modified is when the content last changed; zero: unknown.
func (c *Card) Modified() time.Time { return c.modified }

// Path is the path of the card's URL, without a slash at its end: where the bindings are mounted.
func (c *Card) Path() string { return c.path }

// Serves reports whether a binding, such as [a2a.BindingJSONRPC], is served at the card's URL.
func (c *Card) Serves(binding string) bool { return slices.Contains(c.bindings, binding) }
