package tool

import (
	"regexp"
	"strings"
	"testing"
)

var valid = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func TestNames(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 128)
	tools := []Tool{
		{Server: "github", Name: "create_issue"}, {Server: "a", Name: "b.c"}, {Server: "a", Name: "b_c"},
		{Server: "s", Name: long}, {Server: "s", Name: long[1:]}, {Server: "a__b", Name: "c"}, {Server: "a", Name: "b__c"}, {Server: "ü", Name: "é"},
	}
	names := Names(tools)
	if names[0] != "github__create_issue" {
		t.Errorf("got %q", names[0])
	}
	seen := map[string]bool{}
	for i, n := range names {
		if !valid.MatchString(n) || seen[n] {
			t.Errorf("%s/%s: name %q is not valid, or another's", tools[i].Server, tools[i].Name, n)
		}
		seen[n] = true
	}
	for i, n := range Names(tools[:3]) {
		if n != names[i] {
			t.Errorf("name %q depends on tools it does not collide with: %q", n, names[i])
		}
	}
}
