package lambda

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestAgentSettings(t *testing.T) {
	t.Parallel()
	got, err := configOf(Turn, map[string]string{
		"AGENT": "coder", "MODEL": "openai/gpt-5",
		"MODEL_ENDPOINTS":  `{"openai": {"baseUrl": "https://api.openai.com/v1", "key": "ssm:/x/openai"}, "ollama": {"baseUrl": "http://10.0.0.5:11434/v1", "maxTokensField": "max_tokens"}}`,
		"TOKENS":           "ssm:/x/tokens/{owner}/{connection}",
		"TOKEN_BROKER_KEY": "secretsmanager:x/broker",
		"TOOL_SERVERS":     "tracker=http://10.0.0.7/mcp  hub=https://hub.example",
		"NETWORKS":         "10.0.0.1/8 fd00::/8",
		"DENIED_TOOLS":     "hub/delete_* */drop",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := Config{
		Agent: "coder", Model: "openai/gpt-5",
		Endpoints: map[string]Endpoint{
			"openai": {BaseURL: "https://api.openai.com/v1", Key: "ssm:/x/openai"},
			"ollama": {BaseURL: "http://10.0.0.5:11434/v1", MaxTokensField: "max_tokens"},
		},
		Tokens: "ssm:/x/tokens/{owner}/{connection}", BrokerKey: "secretsmanager:x/broker",
		ToolServers: map[string]string{"tracker": "http://10.0.0.7/mcp", "hub": "https://hub.example"},
		Networks:    []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")},
		DeniedTools: []string{"hub/delete_*", "*/drop"},
	}
	agents := cmp.FilterPath(func(p cmp.Path) bool {
		switch p.String() {
		case "Table", "QueueURL", "Lease", "Slice":
			return true
		}
		return false
	}, cmp.Ignore())
	if diff := cmp.Diff(want, got, agents, cmp.AllowUnexported(Config{}), cmpopts.EquateComparable(netip.Prefix{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := configOf(Turn, map[string]string{"TOKENS": "https://tokens.example/v1"}); err != nil || got.Tokens != "https://tokens.example/v1" {
		t.Errorf("a broker: got %q, %v", got.Tokens, err)
	}
}

// What is wrong is named, and a secret in the wrong place is not repeated.
func TestWrongAgentSettings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, value string }{
		{"MODEL", "gpt-5"},
		{"MODEL_ENDPOINTS", "openai"},
		{"MODEL_ENDPOINTS", `{"openai": {"baseUrl": "https://x.example"}} {}`},
		{"MODEL_ENDPOINTS", `{"openai": {"baseURL": "https://x.example", "apiKey": "sk-secret"}}`},
		{"MODEL_ENDPOINTS", `{"openai": {"baseUrl": "https://x.example", "key": "sk-secret"}}`},
		{"MODEL_ENDPOINTS", `{"openai": {"baseUrl": "https://me:sk-secret@x.example"}}`},
		{"MODEL_ENDPOINTS", `{"openai": {}}`},
		{"MODEL_ENDPOINTS", `{"script": {"baseUrl": "https://x.example"}}`},
		{"MODEL_ENDPOINTS", `{"a/b": {"baseUrl": "https://x.example"}}`},
		{"TOKENS", "/x/tokens"}, {"TOKENS", "ssm:"}, {"TOKENS", "https://tokens.example/?x"},
		{"TOKEN_BROKER_KEY", "sk-secret"},
		{"TOOL_SERVERS", "tracker"}, {"TOOL_SERVERS", "tracker=localhost"}, {"TOOL_SERVERS", "=http://x.example"},
		{"NETWORKS", "10.0.0.1"}, {"NETWORKS", "10.0.0.0/8,11.0.0.0/8"},
	} {
		_, err := configOf(Turn, map[string]string{tt.name: tt.value})
		if err == nil || !strings.HasPrefix(err.Error(), tt.name+" is ") || strings.ContainsAny(err.Error(), "\n") || strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s=%s: got %v, want one line about it, without secrets", tt.name, tt.value, err)
		}
	}
}
