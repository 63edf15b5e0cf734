package card

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// check holds content and options to what a card must have.
func check(content a2a.AgentCard, o Options) error {
	var errs []error
	require := func(value, field string) {
		if value == "" {
			errs = append(errs, fmt.Errorf("card: %s is required", field))
		}
	}
	require(content.Name, "name")
	require(content.Description, "description")
	require(content.Version, "version")
	if content.Provider != nil {
		require(content.Provider.Organization, "provider.organization")
	}
	for i, s := range content.Skills {
		require(s.ID, fmt.Sprintf("skills[%d].id", i))
		require(s.Name, fmt.Sprintf("skills[%d].name", i))
		require(s.Description, fmt.Sprintf("skills[%d].description", i))
	}
	for i, e := range content.Capabilities.Extensions {
		require(e.URI, fmt.Sprintf("capabilities.extensions[%d].uri", i))
	}
	for i, in := range o.Interfaces {
		require(in.URL, fmt.Sprintf("interfaces[%d].url", i))
		require(in.ProtocolBinding, fmt.Sprintf("interfaces[%d].protocolBinding", i))
	}
	return errors.Join(append(errs, checkMount(o.URL), checkBindings(o))...)
}

// checkMount holds a URL to what a handler can be mounted at.
func checkMount(mount string) error {
	u, err := url.Parse(mount)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return errors.New("card: url must be absolute, of http or https")
	case u.User != nil || u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return errors.New("card: url must have no user, query or fragment")
	case u.EscapedPath() != u.Path:
		return errors.New("card: the path of url must need no escapes")
	}
	return nil
}

func checkBindings(o Options) error {
	for i, b := range o.Bindings {
		if b != a2a.BindingJSONRPC && b != a2a.BindingHTTPJSON || slices.Contains(o.Bindings[:i], b) {
			return fmt.Errorf("card: bindings must be of %s and %s, each once", a2a.BindingJSONRPC, a2a.BindingHTTPJSON)
		}
	}
	if len(o.Bindings)+len(o.Interfaces) == 0 {
		return errors.New("card: an agent needs an interface")
	}
	return nil
}
