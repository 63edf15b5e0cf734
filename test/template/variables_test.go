package template

import (
	"maps"
	"slices"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/lambda"
)

// Each variable that a function reads is declared for it, and each one declared is read.
func TestVariables(t *testing.T) {
	t.Parallel()
	tmpl := read(t)
	shared, _ := at(tmpl.Globals["Function"]["Environment"], "Variables").(map[string]node)
	for name, f := range map[string]lambda.Function{"ApiFunction": lambda.API, "TurnFunction": lambda.Turn, "RecoverFunction": lambda.Recover} {
		declared := maps.Clone(shared)
		own, _ := at(tmpl.functions()[name]["Environment"], "Variables").(map[string]node)
		maps.Copy(declared, own)
		got := slices.Sorted(maps.Keys(declared))
		var want []string
		for _, s := range f.Settings() {
			want = append(want, s.Name)
		}
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: variables %q, want those it reads: %q", name, got, want)
		}
	}
}
