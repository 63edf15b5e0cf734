package netguard

import "net/netip"

// unicast6 is all of IPv6 that is given out for use on the Internet. What lies outside is refused
// without a list: loopback, IPv4 in IPv6, NAT64, unique local, link-local, multicast and the rest.
var unicast6 = netip.MustParsePrefix("2000::/3")

// special lists what the IANA registries of special-purpose addresses keep from the Internet, or
// what leads to another address than it names.
var special = prefixes(
	"0.0.0.0/8",        // this network
	"10.0.0.0/8",       // private
	"100.64.0.0/10",    // shared by carriers (CGNAT)
	"127.0.0.0/8",      // loopback
	"168.63.129.16/32", // Azure's platform, metadata included
	"169.254.0.0/16",   // link-local, metadata included
	"172.16.0.0/12",    // private
	"192.0.0.0/24",     // protocol assignments
	"192.0.2.0/24",     // documentation
	"192.31.196.0/24",  // AS112
	"192.52.193.0/24",  // AMT
	"192.88.99.0/24",   // 6to4 relays
	"192.168.0.0/16",   // private
	"192.175.48.0/24",  // AS112
	"198.18.0.0/15",    // benchmarking
	"198.51.100.0/24",  // documentation
	"203.0.113.0/24",   // documentation
	"224.0.0.0/4",      // multicast
	"240.0.0.0/4",      // reserved, and broadcast

	"2001::/23",         // protocol assignments: Teredo, benchmarking, ORCHID and others
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4
	"2620:4f:8000::/48", // AS112
	"3ffe::/16",         // 6bone, given back
	"3fff::/20",         // documentation
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// public reports whether an address is routable everywhere on the Internet.
func public(addr netip.Addr) bool {
	if !addr.IsValid() || addr.Zone() != "" || addr.Is6() && !unicast6.Contains(addr) {
		return false
	}
	for _, p := range special {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}
