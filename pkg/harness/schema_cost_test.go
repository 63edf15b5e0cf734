package harness

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// A schema costs little, whatever is in it: the bounds come before it is read, and patterns, lists and
// depths are weighed.
func TestSchemasCostLittle(t *testing.T) {
	long := strings.Repeat("a", 64<<10)
	patterns := func(n int, pattern string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"%s%d":{}`, pattern, i))
		}
		return `{"patternProperties":{` + strings.Join(all, ",") + `}}`
	}
	nested := func(keyword string, n int, inside string) string {
		return strings.Repeat(`{"`+keyword+`":`, n) + inside + strings.Repeat("}", n)
	}
	refs := strings.TrimSuffix(strings.Repeat(`{"$ref":"#/$defs/e"},`, 400), ",")
	enum := strings.TrimSuffix(strings.Repeat(`12345,`, 15_000), ",")
	for name, tt := range map[string]struct{ schema, arguments string }{
		"large programs":       {patterns(2000, `(((a?){10}){10}){9}`), `{"a":1}`},
		"many programs":        {patterns(5000, `a`), `{"a":1}`},
		"one large program":    {`{"properties":{"a":{"pattern":"^(?:a?){1000}` + strings.Repeat(`(?:a?){1000}`, 200) + `$"}}}`, `{"a":"` + long + `"}`},
		"a program on a text":  {`{"properties":{"a":{"pattern":"^` + strings.Repeat(`(?:a|b|ab)*`, 300) + `c$"}}}`, `{"a":"` + long + `"}`},
		"deep":                 {nested("items", 900, `{"description":"`+long+`"}`), `{}`},
		"deep, not":            {nested("not", 900, `{"description":"`+long+`"}`), `{}`},
		"deep, dependent":      {nested("dependentSchemas", 900, `{}`), `{}`},
		"long lists, often":    {`{"$defs":{"e":{"enum":[` + enum + `]}},"properties":{"a":{"items":{"anyOf":[` + refs + `]}}}}`, `{"a":[` + strings.TrimSuffix(strings.Repeat("1,", 40), ",") + `]}`},
		"larger than any tool": {`{"description":"` + strings.Repeat("d", 1<<20) + `"}`, `{}`},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		all := schemas{}
		for range 64 { // calls of one message
			if err := all.validate(json.RawMessage(tt.schema), json.RawMessage(tt.arguments)); err != nil {
				t.Errorf("%s: got %v", name, err)
			}
		}
		runtime.ReadMemStats(&after)
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 128 {
			t.Errorf("%s took %d MiB", name, mib)
		}
		var value any
		if err := json.Unmarshal([]byte(tt.arguments), &value); err != nil {
			t.Fatal(err)
		}
		if s := all[tt.schema]; s != nil && !s.tooDear(value) {
			t.Errorf("%s is held against the arguments", name)
		}
	}
}

// HARN-02: patterns within bounds hold.
func TestPatternsHold(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"properties":{"id":{"pattern":"^[a-z]{3,40}$"}},"patternProperties":{"^x-":{"type":"string"}}}`)
	for arguments, ok := range map[string]bool{`{"id":"abc"}`: true, `{"id":"a1"}`: false, `{"x-a":"b"}`: true, `{"x-a":1}`: false} {
		if err := (schemas{}).validate(schema, json.RawMessage(arguments)); (err == nil) != ok {
			t.Errorf("%s: got %v", arguments, err)
		}
	}
}
