package netguard

import (
	"errors"
	"net/netip"
	"testing"
)

var loopback = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}

func TestCheckURL(t *testing.T) { // R-21, at registration
	t.Parallel()
	strict, local := Guard{}, Guard{Allow: loopback}
	for _, tt := range []struct {
		guard Guard
		url   string
		want  bool
	}{
		{strict, "https://mcp.example.com/github", true},
		{strict, "https://mcp.example.com:8443/x?y=z", true},
		{strict, "https://8.8.8.8/", true},
		{strict, "https://[2606:4700::1111]/", true},
		{strict, "https://xn--bcher-kva.example/", true},
		{strict, "https://3com.example/", true},
		{strict, "http://mcp.example.com/", false},
		{strict, "ftp://mcp.example.com/", false},
		{strict, "//mcp.example.com/", false},
		{strict, "mcp.example.com", false},
		{strict, "", false},
		{strict, "https://", false},
		{strict, "https:///path", false},
		{strict, "https://:443/", false},
		{strict, "https://a..b/", false},
		{strict, "https://user:secret@mcp.example.com/", false},
		{strict, "https://mcp.example.com/#part", false},
		{strict, "https://bücher.example/", false},
		{strict, "https://127。0。0。1/", false},
		{strict, "https://127.0.0.1/", false},
		{strict, "https://127.0.0.1./", false},
		{strict, "https://169.254.169.254/latest/meta-data", false},
		{strict, "https://localhost/", false},
		{strict, "https://LOCALHOST./", false},
		{strict, "https://app.localhost/", false},
		{strict, "https://2130706433/", false},
		{strict, "https://0x7f000001/", false},
		{strict, "https://0x7F.1/", false},
		{strict, "https://0x/", false},
		{strict, "https://0177.0.0.1/", false},
		{strict, "https://127.1/", false},
		{strict, "https://%31%32%37.0.0.1/", false},
		{strict, "https://[::1]/", false},
		{strict, "https://[::ffff:8.8.8.8]/", false},
		{strict, "https://[fe80::1%25eth0]/", false},
		{strict, "https://[64:ff9b::a00:1]/", false},
		{local, "http://127.0.0.1:8080/mcp", true},
		{local, "http://localhost:8080/mcp", true},
		{local, "http://[::1]:8080/mcp", true},
		{local, "https://10.0.0.1/", false},
		{local, "https://8.8.8.8/", true},
		{local, "http://8.8.8.8/", false},
		{local, "http://mcp.example.com/", true}, // its address is judged when it is known
		{local, "ftp://127.0.0.1/", false},
		{local, "http://2130706433/", false},
	} {
		err := tt.guard.CheckURL(tt.url)
		if got := err == nil; got != tt.want {
			t.Errorf("CheckURL(%q) of %+v: got %v, want it to pass: %t", tt.url, tt.guard, err, tt.want)
		}
		if err != nil && !errors.Is(err, ErrRefused) {
			t.Errorf("CheckURL(%q): got %v, want an ErrRefused", tt.url, err)
		}
	}
}
