package template

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// node is a value of the template: a map, a list or a scalar. CloudFormation's short tags, such
// as !Ref x, are maps of one key: {"Ref": x}.
type node = any

// template is what template.yaml says.
type template struct {
	Parameters map[string]map[string]node `yaml:"Parameters"`
	Globals    map[string]map[string]node `yaml:"Globals"`
	Resources  map[string]resource        `yaml:"Resources"`
}

type resource struct {
	Type           string          `yaml:"Type"`
	DeletionPolicy string          `yaml:"DeletionPolicy"`
	Properties     map[string]node `yaml:"Properties"`
}

const path = "../../template.yaml"

func read(t *testing.T) template {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	untag(&doc)
	var out template
	if err := doc.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// untag writes short tags out.
func untag(n *yaml.Node) {
	for _, child := range n.Content {
		untag(child)
	}
	name, short := strings.CutPrefix(n.Tag, "!")
	if !short || strings.HasPrefix(name, "!") {
		return
	}
	if name != "Ref" {
		name = "Fn::" + name
	}
	value := *n
	value.Tag = map[yaml.Kind]string{yaml.ScalarNode: "!!str", yaml.SequenceNode: "!!seq", yaml.MappingNode: "!!map"}[n.Kind]
	*n = yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: []*yaml.Node{
		{Kind: yaml.ScalarNode, Tag: "!!str", Value: name}, &value,
	}}
}

// at follows keys into maps; nil where there is none.
func at(n node, keys ...string) node {
	for _, key := range keys {
		m, ok := n.(map[string]node)
		if !ok {
			return nil
		}
		n = m[key]
	}
	return n
}

// each calls f with every map in n, n's own first.
func each(n node, f func(map[string]node)) {
	switch v := n.(type) {
	case map[string]node:
		f(v)
		for _, child := range v {
			each(child, f)
		}
	case []node:
		for _, child := range v {
			each(child, f)
		}
	}
}

// functions are the properties of the template's functions, by name.
func (t template) functions() map[string]map[string]node {
	out := map[string]map[string]node{}
	for name, r := range t.Resources {
		if r.Type == "AWS::Serverless::Function" {
			out[name] = r.Properties
		}
	}
	return out
}
