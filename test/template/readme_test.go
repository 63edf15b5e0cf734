package template

import (
	"os"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/lambda"
)

// The README has every setting in a table.
func TestReadmeHasEverySetting(t *testing.T) {
	t.Parallel()
	b, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, configure, _ := strings.Cut(string(b), "\n## Configure\n")
	configure, _, _ = strings.Cut(configure, "\n## ")
	has := func(name string) {
		if !strings.Contains(configure, "`"+name+"`") {
			t.Errorf("the README does not say what %s sets", name)
		}
	}
	for name := range read(t).Parameters {
		has(name)
	}
	for _, f := range []lambda.Function{lambda.API, lambda.Turn, lambda.Recover} {
		for _, s := range f.Settings() {
			has(s.Name)
		}
	}
}
