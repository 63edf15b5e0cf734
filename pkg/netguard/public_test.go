package netguard

import (
	"net/netip"
	"testing"
)

// the rows of the IANA registries of special-purpose addresses, IPv4 and IPv6, their first
// and last addresses and the neighbours that stay reachable.
func TestPublic(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		addr []string
		want bool
	}{
		{"this network", []string{"0.0.0.0", "0.255.255.255"}, false},
		{"private", []string{"10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"}, false},
		{"CGNAT", []string{"100.64.0.0", "100.100.100.200", "100.127.255.255"}, false},
		{"loopback", []string{"127.0.0.1", "127.255.255.255"}, false},
		{"link-local and metadata", []string{"169.254.0.0", "169.254.169.254", "169.254.170.2", "169.254.255.255", "168.63.129.16"}, false},
		{"protocol assignments", []string{"192.0.0.0", "192.0.0.8", "192.0.0.170", "192.0.0.255"}, false},
		{"documentation", []string{"192.0.2.1", "198.51.100.1", "203.0.113.255"}, false},
		{"AS112, AMT, 6to4 relay", []string{"192.31.196.1", "192.175.48.1", "192.52.193.1", "192.88.99.1"}, false},
		{"benchmarking", []string{"198.18.0.0", "198.19.255.255"}, false},
		{"multicast", []string{"224.0.0.1", "239.255.255.255"}, false},
		{"reserved and broadcast", []string{"240.0.0.0", "255.255.255.254", "255.255.255.255"}, false},
		{"IPv6 unspecified and loopback", []string{"::", "::1"}, false},
		{"IPv4-mapped", []string{"::ffff:127.0.0.1", "::ffff:8.8.8.8"}, false},
		{"IPv4-compatible and translated", []string{"::127.0.0.1", "::8.8.8.8", "::ffff:0:8.8.8.8"}, false},
		{"NAT64", []string{"64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::1", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"}, false},
		{"discard and dummy", []string{"100::1", "100:0:0:1::1"}, false},
		{"IPv6 protocol assignments", []string{"2001::1", "2001:0:4136:e378:8000:63bf:3fff:fdd2", "2001:1::1", "2001:2::1", "2001:3::1", "2001:4:112::1", "2001:10::1", "2001:20::1", "2001:30::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"}, false},
		{"IPv6 documentation", []string{"2001:db8::1", "3fff::1", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"}, false},
		{"6to4", []string{"2002:7f00:1::1", "2002:808:808::1"}, false},
		{"AS112 and 6bone", []string{"2620:4f:8000::1", "3ffe::1"}, false},
		{"segment routing", []string{"5f00::1"}, false},
		{"unique local", []string{"fc00::1", "fd00:ec2::254", "fdff::1"}, false},
		{"link-local and site-local", []string{"fe80::1", "fe80::1%eth0", "fec0::1"}, false},
		{"IPv6 multicast", []string{"ff02::1", "ff0e::1"}, false},
		{"with a zone", []string{"2606:4700::1%eth0"}, false},

		{"IPv4 neighbours", []string{"1.0.0.0", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0", "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "168.63.129.15"}, true},
		{"IPv6 neighbours", []string{"2001:200::1", "2001:4860:4860::8888", "2001:db7:ffff::1", "2001:db9::1", "2003::1", "2606:4700::1111", "2a00::1", "3ffd::1"}, true},
	} {
		for _, a := range tt.addr {
			if got := public(netip.MustParseAddr(a)); got != tt.want {
				t.Errorf("%s: public(%s) = %t, want %t", tt.name, a, got, tt.want)
			}
		}
	}
	if public(netip.Addr{}) {
		t.Error("public of no address = true, want false")
	}
}
