package main

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// loopbackOnly refuses requests that name another host than this machine. Nobody is authenticated
// here, and a page whose name was made to resolve to 127.0.0.1 is of the same origin for its browser.
func loopbackOnly(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isLoopback(r.Host) {
			http.Error(w, "a local system is reached as localhost, 127.0.0.1 or [::1]", http.StatusMisdirectedRequest)
			return
		}
		h.ServeHTTP(w, r)
	})
}

// isLoopback reports whether a Host header names this machine, with a port or without.
func isLoopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	ip, err := netip.ParseAddr(host)
	return strings.EqualFold(host, "localhost") || err == nil && ip.Unmap().IsLoopback()
}
