// Package netguard makes HTTP clients for addresses that somebody else chose: model endpoints,
// tool servers, webhooks.
//
// A client speaks https, to allowed networks http too, through no proxy, follows no redirect and connects only to addresses that
// are routable everywhere on the Internet. The address is judged when it is dialed, after the name
// was resolved, so a name that changes its mind between a check and a call gains nothing.
package netguard

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"syscall"
	"time"
)

const (
	defaultMaxBody = 4 << 20
	maxHeader      = 64 << 10
	dialTimeout    = 10 * time.Second
	idleTimeout    = 60 * time.Second
	maxIdlePerHost = 8
)

// ErrRefused is in the chain of every error of a URL or an address that the guard does not let pass.
var ErrRefused = errors.New("netguard: refused")

// Guard says what may be reached. The zero value is the strict one that deployments use.
type Guard struct {
	// Allow are networks that are reachable although not public, and over http, such as 127.0.0.0/8
	// in local runs.
	Allow   []netip.Prefix
	MaxBody int64 // most bytes of an answer's body, unpacked; default 4 MiB

	resolver *net.Resolver
}

// Client returns a client with its own connections. What the guard refuses fails with [ErrRefused]
// before anything is sent. An answer that redirects is returned as it is, and reading a body past
// MaxBody fails with an [http.MaxBytesError].
func (g Guard) Client() *http.Client {
	if g.MaxBody <= 0 {
		g.MaxBody = defaultMaxBody
	}
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport:     &transport{guard: g, base: map[string]*http.Transport{"https": g.transport("https"), "http": g.transport("http")}},
	}
}

// transport makes the connections of a scheme.
func (g Guard) transport(scheme string) *http.Transport {
	control := func(_, address string, _ syscall.RawConn) error { return g.checkSocket(scheme, address) }
	dialer := &net.Dialer{Timeout: dialTimeout, Resolver: g.resolver, Control: control}
	return &http.Transport{
		DialContext:            dialer.DialContext,
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    dialTimeout,
		IdleConnTimeout:        idleTimeout,
		MaxIdleConnsPerHost:    maxIdlePerHost,
		MaxResponseHeaderBytes: maxHeader,
	}
}

// checkSocket judges the address of a socket just before it connects.
func (g Guard) checkSocket(scheme, address string) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("%w: not an address", ErrRefused)
	}
	return g.checkAddr(scheme, ap.Addr())
}

func (g Guard) checkAddr(scheme string, addr netip.Addr) error {
	switch {
	case g.allows(addr):
		return nil
	case !public(addr):
		return fmt.Errorf("%w: the address is not public", ErrRefused)
	case scheme != "https":
		return errScheme
	}
	return nil
}

var errScheme = fmt.Errorf("%w: the URL's scheme is not https", ErrRefused)

func (g Guard) allows(addr netip.Addr) bool {
	return slices.ContainsFunc(g.Allow, func(p netip.Prefix) bool { return p.Contains(addr) })
}

// transport holds every request to the guard, and every answer to its bound.
type transport struct {
	guard Guard
	base  map[string]*http.Transport // by scheme
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.guard.check(r.URL); err != nil {
		if r.Body != nil {
			r.Body.Close()
		}
		return nil, err
	}
	resp, err := t.base[r.URL.Scheme].RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, t.guard.MaxBody)
	return resp, nil
}

func (t *transport) CloseIdleConnections() {
	for _, base := range t.base {
		base.CloseIdleConnections()
	}
}
