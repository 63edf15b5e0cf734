package netguard

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
)

// CheckURL judges a URL when it is registered: its scheme, its form, and its host where that is an
// address or this machine. A name is not resolved: the client judges what it leads to. Errors are
// in the caller's own words and wrap [ErrRefused].
func (g Guard) CheckURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return fmt.Errorf("%w: not a URL", ErrRefused)
	}
	return g.check(u)
}

func (g Guard) check(u *url.URL) error {
	switch {
	case u.Scheme != "https" && (u.Scheme != "http" || len(g.Allow) == 0):
		return errScheme
	case u.User != nil:
		return fmt.Errorf("%w: the URL holds a user", ErrRefused)
	case u.Fragment != "":
		return fmt.Errorf("%w: the URL has a fragment", ErrRefused)
	}
	return g.checkHost(u.Scheme, u.Hostname())
}

func (g Guard) checkHost(scheme, host string) error {
	if addr, err := netip.ParseAddr(host); err == nil {
		return g.checkAddr(scheme, addr)
	}
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	switch {
	case !plain(name):
		return fmt.Errorf("%w: the URL's host is not a domain name", ErrRefused)
	case endsInNumber(name):
		// Some resolvers read 2130706433, 0x7f.1 and 0177.0.0.1 as addresses.
		return fmt.Errorf("%w: the URL's host is an address in another form than a.b.c.d", ErrRefused)
	case name == "localhost" || strings.HasSuffix(name, ".localhost"):
		return g.checkAddr(scheme, netip.AddrFrom4([4]byte{127, 0, 0, 1}))
	}
	return nil
}

// plain reports whether a name is made of what domain names are; others go by their xn-- form.
func plain(name string) bool {
	return name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-_.") == "" && !strings.Contains(name, "..")
}

// endsInNumber is how browsers tell an IPv4 address from a name.
func endsInNumber(name string) bool {
	last := name[strings.LastIndexByte(name, '.')+1:]
	if hex, ok := strings.CutPrefix(last, "0x"); ok {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(last, "0123456789") == ""
}
