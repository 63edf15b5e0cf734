package harness

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// HARN-02: arguments are held to what the tool's schema says, references and recursion included.
func TestValidate(t *testing.T) {
	t.Parallel()
	const tree = `{"type":"object","properties":{"n":{"type":"integer"},"a~b/c":{"type":"string"},"kids":{"type":"array","items":{"$ref":"#"}},"x":{"$ref":"#/$defs/one"}},` +
		`"$defs":{"one":{"enum":[1]}},"required":["n"]}`
	for arguments, ok := range map[string]bool{
		`{"n":1}`:                               true,
		`{}`:                                    false,
		`{"n":"1"}`:                             false,
		`{"n":1,"kids":[{"n":2,"kids":[]}]}`:    true,
		`{"n":1,"kids":[{"n":2,"kids":[{}]}]}`:  false,
		`{"n":1,"x":1}`:                         true,
		`{"n":1,"x":2}`:                         false,
		`{"n":1,"a~b/c":2}`:                     false,
		`[1]`:                                   false,
		`null`:                                  false,
		`"{\"n\":1}"`:                           false,
		`{"n":1` + strings.Repeat(` `, 9) + `}`: true,
	} {
		if err := (schemas{}).validate(json.RawMessage(tree), json.RawMessage(arguments)); (err == nil) != ok {
			t.Errorf("%s: got %v", arguments, err)
		}
	}
}

// Large arguments are held to an ordinary schema, too, whatever it says of them for people.
func TestValidateLargeArguments(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","description":"` + strings.Repeat("d", 4000) + `","properties":{"path":{"type":"string"},` +
		`"content":{"type":"string","description":"` + strings.Repeat("d", 4000) + `"},"tags":{"type":"array","items":{"type":"string","description":"` + strings.Repeat("d", 500) + `"}}},` +
		`"required":["path","content"],"additionalProperties":false}`)
	content := strings.Repeat("x", 400<<10)
	tags := strings.TrimSuffix(strings.Repeat(`"tag",`, 1000), ",")
	for arguments, ok := range map[string]bool{
		`{"path":"a","content":"` + content + `","tags":[` + tags + `]}`:   true,
		`{"path":"a","content":"` + content + `","tags":[` + tags + `,1]}`: false,
		`{"path":1,"content":"` + content + `"}`:                           false,
		`{"content":"` + content + `"}`:                                    false,
	} {
		if err := (schemas{}).validate(schema, json.RawMessage(arguments)); (err == nil) != ok {
			t.Errorf("%.20s: got %.100v, want it accepted: %t", arguments, err, ok)
		}
	}
}

// A server's schema can neither end the process nor hold it up: it is then not used.
func TestValidateHostileSchemas(t *testing.T) {
	t.Parallel()
	doubling, wide := `"d0":{}`, `"d0":{}`
	for i := range 60 {
		doubling += fmt.Sprintf(`,"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]}`, i+1, i, i)
		wide += fmt.Sprintf(`,"d%d":{"additionalProperties":{"anyOf":[{"$ref":"#/$defs/d%d"},{"not":{"$ref":"#/$defs/d%d"}}]}}`, i+1, i, i)
	}
	deep := strings.Repeat(`{"a":`, 60) + `{}` + strings.Repeat(`}`, 60)
	for name, schema := range map[string]string{
		"itself":             `{"$ref":"#"}`,
		"itself, in a list":  `{"allOf":[{"type":"object"},{"anyOf":[{"$ref":"#"}]}]}`,
		"two":                `{"$ref":"#/$defs/a","$defs":{"a":{"not":{"$ref":"#/$defs/b"}},"b":{"if":{"$ref":"#/$defs/a"}}}}`,
		"dependent":          `{"dependentSchemas":{"a":{"$ref":"#"}}}`,
		"dynamic":            `{"$dynamicAnchor":"x","$dynamicRef":"#x"}`,
		"anchor":             `{"$ref":"#x","$defs":{"x":{"$anchor":"x","$ref":"#x"}}}`,
		"renamed":            `{"$ref":"#/$defs/a","$defs":{"a":{"$id":"https://x.example/a","allOf":[{"$ref":"#"}]}}}`,
		"inside a renamed":   `{"$ref":"#/$defs/a/not","$defs":{"a":{"$id":"https://x.example/a","not":{"$ref":"#/not"}}}}`,
		"doubling":           `{"$ref":"#/$defs/d60","$defs":{` + doubling + `}}`,
		"doubling, within":   `{"$ref":"#/$defs/d60","$defs":{` + wide + `}}`,
		"elsewhere":          `{"$ref":"https://x.example/schema"}`,
		"a file":             `{"$ref":"file:///etc/passwd"}`,
		"itself, otherwise":  `{"$Ref":"#"}`,
		"in another case":    `{"AllOf":[{"$ref":"#"}]}`,
		"in a long s":        `{"dependentſchemas":{"a":{"$ref":"#"}}}`,
		"in any case":        `{"DependentSchemas":{"a":{"$REF":"#"}}}`,
		"dynamic, otherwise": `{"$DynamicRef":"#x","$dynamicAnchor":"x"}`,
		"bad pattern":        `{"properties":{"a":{"pattern":"("}}}`,
		"no schema":          `5`,
		"nothing":            ``,
	} {
		if err := (schemas{}).validate(json.RawMessage(schema), json.RawMessage(deep)); err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// Whatever schema and arguments are, they are held against each other, or not, and that ends.
func FuzzValidate(f *testing.F) {
	f.Add(`{"$ref":"#"}`, `{"a":1}`)
	f.Add(`{"$Ref":"#"}`, `{"a":1}`)
	f.Add(`{"properties":{"a":{"$ref":"#/$defs/b"}},"$defs":{"b":{"items":{"$ref":"#"}}}}`, `{"a":[{"a":[1]}]}`)
	f.Add(`{"allOf":[{"not":{"enum":[1]}}],"patternProperties":{"^a":true},"unevaluatedProperties":{"$ref":"#/allOf/0"}}`, `{"a":{},"b":[]}`)
	f.Add(`{"prefixItems":[{"$ref":"#/properties/~0~1"}],"dependentSchemas":{"a":{"$ref":"#"}}}`, `{"~/":1}`)
	f.Fuzz(func(t *testing.T, schema, arguments string) {
		_ = (schemas{}).validate(json.RawMessage(schema), json.RawMessage(arguments))
	})
}

// HARN-02: a call is frozen as it was checked: two readers can't read two calls in it.
func TestCanonicalArguments(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`{"b":1.50,"a":1,"a":{"x":"<\u00e9>"}}`: `{"a":{"x":"<é>"},"b":1.50}`,
		`{"n":123456789012345678901234567890}`:  `{"n":123456789012345678901234567890}`,
		`"no \ud800 object"`:                    `"no ` + "\ufffd" + ` object"`,
	} {
		if got := string(canonical(json.RawMessage(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}
