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
		"a program on a name":  {`{"propertyNames":{"pattern":"^` + strings.Repeat(`(?:a|b|ab)*`, 300) + `c$"}}`, `{"` + long + `":1}`},
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

// Neither do the places of parts, which are kept, nor what is said of each value at each level.
func TestWhatFailsCostsLittle(t *testing.T) {
	long, ones := strings.Repeat("n", 42<<10), strings.TrimSuffix(strings.Repeat(`1,`, 50_000), ",")
	list := func(n int, each string) string {
		return "[" + strings.TrimSuffix(strings.Repeat(each+",", n), ",") + "]"
	}
	chain := `"$defs":{"0":{"anyOf":` + list(8000, "false") + `}`
	for i := range 1500 {
		chain += fmt.Sprintf(`,"%d":{"$ref":"#/$defs/%d"}`, i+1, i)
	}
	for name, tt := range map[string]struct{ schema, arguments string }{
		"a long name above many schemas": {`{"$ref":"#/$defs/` + long + `","$defs":{"` + long + `":{"allOf":` + list(15_000, "{}") + `}}}`, `{}`},
		"a long name above many values":  {`{"additionalProperties":{"items":{"type":"integer"}}}`, `{"` + long + long + `":[` + ones + `]}`},
		"a long name, often":             {`{"properties":{"` + long + `":{"contains":{"const":2}}}}`, `{"` + long + `":[` + ones + `]}`},
		"a large value, often":           {`{"anyOf":` + list(5000, `{"type":"string"}`) + `}`, `{"a":[` + ones + `]}`},
		"a large list, often":            {`{"$defs":{"e":{"enum":["` + long + `"]}},"properties":{"a":{"contains":{"$ref":"#/$defs/e"}}}}`, `{"a":[` + ones + `]}`},
		"said again and again":           {`{"$ref":"#/$defs/1500",` + chain + `}}`, `{"a":1}`},
		"many types, often":              {`{"properties":{"a":{"contains":{"type":` + list(3000, `"ssssssssssssssssssss"`) + `}}}}`, `{"a":[` + ones + `]}`},
		"a long anchor, often":           {`{"properties":{"a":{"contains":{"anyOf":[{"$anchor":"` + long + `","type":"string"}]}}}}`, `{"a":[` + ones + `]}`},
		"false below a long name":        {`{"properties":{"` + long + `":{"contains":false}}}`, `{"` + long + `":[` + ones + `]}`},
		"a deep value":                   {`{"additionalProperties":{"$ref":"#"},"items":{"$ref":"#"},"type":["object","array"]}`, `{"a":` + strings.Repeat("[", 9000) + "1" + strings.Repeat("]", 9000) + `}`},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_ = schemas{}.validate(json.RawMessage(tt.schema), json.RawMessage(tt.arguments))
		runtime.ReadMemStats(&after)
		if mib := (after.TotalAlloc - before.TotalAlloc) >> 20; mib > 128 {
			t.Errorf("%s took %d MiB", name, mib)
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
