package main

import (
	"net"
	"testing"
)

// The emulator is reached by containers alone, never by the network that a machine is in.
func TestBridge(t *testing.T) {
	t.Parallel()
	addresses := []net.Addr{
		&net.IPNet{IP: net.IPv4(127, 0, 0, 1)}, &net.IPNet{IP: net.IPv4(192, 168, 1, 20)},
		&net.IPNet{IP: net.IPv4(172, 17, 0, 1)}, &net.IPNet{IP: net.ParseIP("fd00::1")},
	}
	for _, tt := range []struct {
		name     string
		gateways []string
		want     string
	}{
		{"Linux", []string{"172.17.0.1"}, "172.17.0.1"},
		{"both families", []string{"fd00::1", "172.17.0.1"}, "172.17.0.1"},
		{"a bridge in a virtual machine", []string{"172.18.0.1"}, "127.0.0.1"},
		{"none", nil, "127.0.0.1"},
		{"no address", []string{"<no", "value>"}, "127.0.0.1"},
	} {
		if got := ofBridge(tt.gateways, addresses); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}
