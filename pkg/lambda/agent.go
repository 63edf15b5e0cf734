package lambda

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/parameter"
)

// Scripted is the name of the agent that plays scripts.
const Scripted = "test"

// agentName is what a folder of agents may be called, and an endpoint of models.
var agentName = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// Endpoint is one that speaks OpenAI's chat completions. Its name is what stands before the first
// slash of a model's id.
type Endpoint struct {
	BaseURL        string `json:"baseUrl"`                  // such as https://api.openai.com/v1
	Key            string `json:"key,omitempty"`            // refers to its key: ssm:<name> or secretsmanager:<id>; empty: none
	MaxTokensField string `json:"maxTokensField,omitempty"` // default max_completion_tokens
}

// agentSettings are those of agents from files.
var agentSettings = []Setting{
	{
		Name: "MODEL", Meaning: "<endpoint>/<model> of agents that name none; empty: the agent's script", of: ofTurn,
		read: func(c *Config, v string) error {
			if c.Model = v; v != "" && !strings.Contains(v, "/") {
				return errors.New("it is no <endpoint>/<model>")
			}
			return nil
		},
	},
	{
		Name: "MODEL_ENDPOINTS", Meaning: `endpoints of models, as JSON: {"<name>": {"baseUrl": …, "key": "ssm:…", "maxTokensField": …}}`, of: ofTurn, mute: true,
		read: func(c *Config, v string) (err error) {
			c.Endpoints, err = readEndpoints(v)
			return err
		},
	},
	{
		Name: "TOKENS", Meaning: "where tokens of connections are: ssm:<name>, secretsmanager:<id> with {connection}, {tenant} and {owner}, or the https URL of a broker", of: ofTurn,
		read: func(c *Config, v string) error {
			if c.Tokens = v; v == "" || parameter.IsReference(v) {
				return nil
			}
			return readURL(&c.Tokens, v)
		},
	},
	{
		Name: "TOKEN_BROKER_KEY", Meaning: "refers to the key that a broker of tokens is called with: ssm:<name> or secretsmanager:<id>", of: ofTurn, mute: true,
		read: func(c *Config, v string) error {
			if c.BrokerKey = v; v != "" && !parameter.IsReference(v) {
				return errReference
			}
			return nil
		},
	},
	{
		Name: "TOOL_SERVERS", Meaning: "addresses that stand in for those of the agent's file, as name=url, parted by spaces", of: ofTurn,
		read: func(c *Config, v string) (err error) {
			c.ToolServers, err = readServers(v)
			return err
		},
	},
	{
		Name: "NETWORKS", Meaning: "networks that models and tool servers may be in beside the Internet, as 10.0.0.0/8, parted by spaces", of: ofTurn,
		read: func(c *Config, v string) error {
			for _, s := range strings.Fields(v) {
				p, err := netip.ParsePrefix(s)
				if err != nil {
					return errors.New("it is no list of networks such as 10.0.0.0/8")
				}
				c.Networks = append(c.Networks, p.Masked())
			}
			return nil
		},
	},
	{
		Name: "DENIED_TOOLS", Meaning: "patterns server/tool that no agent's file can allow, parted by spaces", of: ofTurn,
		read: func(c *Config, v string) error {
			c.DeniedTools = strings.Fields(v)
			return nil // whoever knows patterns checks them
		},
	},
}

// errReference does not repeat what may be a secret in the wrong place.
var errReference = errors.New("it is neither ssm:<name> nor secretsmanager:<id>")

func readEndpoints(v string) (map[string]Endpoint, error) {
	if v == "" {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader([]byte(v)))
	d.DisallowUnknownFields()
	var all map[string]Endpoint
	if err := d.Decode(&all); err != nil || d.More() {
		return nil, errors.New(`it is no JSON object of {"baseUrl", "key", "maxTokensField"} by name`)
	}
	for name, e := range all {
		if !agentName.MatchString(name) || name == "script" {
			return nil, fmt.Errorf("%q cannot be an endpoint's name", name)
		}
		if e.BaseURL == "" || readURL(&e.BaseURL, e.BaseURL) != nil {
			return nil, fmt.Errorf("the baseUrl of %s is no plain http or https URL", name)
		}
		if e.Key != "" && !parameter.IsReference(e.Key) {
			return nil, fmt.Errorf("the key of %s: %w", name, errReference)
		}
	}
	return all, nil
}

func readServers(v string) (map[string]string, error) {
	if v == "" {
		return nil, nil
	}
	all := map[string]string{}
	for _, s := range strings.Fields(v) {
		name, at, _ := strings.Cut(s, "=")
		if name == "" || at == "" {
			return nil, errors.New("it is no list of name=url")
		}
		if err := readURL(&at, at); err != nil {
			return nil, fmt.Errorf("of %s %w", name, err)
		}
		all[name] = at
	}
	return all, nil
}
