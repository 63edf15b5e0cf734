package bootstrap

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// unlinked are what no function may link: what is slow to start, big, or of no use to it.
var unlinked = []string{
	"github.com/aws/aws-sdk-go-v2/config", "github.com/aws/aws-sdk-go-v2/credentials",
	"github.com/aws/aws-sdk-go-v2/service/ssm", "github.com/aws/aws-sdk-go-v2/service/sts", "github.com/aws/aws-sdk-go-v2/service/sso",
	"google.golang.org/grpc", "google.golang.org/protobuf", "modernc.org", "database/sql",
	"github.com/openai/openai-go", "gopkg.in/yaml.v3", "net/rpc", "testing",
}

// ofTurns are what no function but that of turns may link: what reads and runs agents' files,
// and what that needs.
var ofTurns = []string{
	"encoding/gob", "go.yaml.in", "github.com/modelcontextprotocol/go-sdk", "github.com/google/jsonschema-go",
	"github.com/interlude-a2a/interlude/pkg/harness",
}

func TestLinks(t *testing.T) {
	t.Parallel()
	for name := range functions {
		cmd := exec.Command("go", "list", "-deps", "-tags", "lambda.norpc", "./"+filepath.Join(root, "functions", name))
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		deps := strings.Fields(string(out))
		if !slices.Contains(deps, "github.com/aws/aws-sdk-go-v2/service/dynamodb") {
			t.Fatalf("%s: go list says nothing of DynamoDB: %d packages", name, len(deps))
		}
		unlinked := unlinked
		if name != "turn" {
			unlinked = slices.Concat(unlinked, ofTurns)
		}
		for _, dep := range deps {
			if slices.ContainsFunc(unlinked, func(root string) bool { return dep == root || strings.HasPrefix(dep, root+"/") }) {
				t.Errorf("%s links %s", name, dep)
			}
		}
	}
}
