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
	"gopkg.in/yaml.v3", "go.yaml.in", "net/rpc", "encoding/gob", "testing",
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
		for _, dep := range deps {
			if slices.ContainsFunc(unlinked, func(root string) bool { return dep == root || strings.HasPrefix(dep, root+"/") }) {
				t.Errorf("%s links %s", name, dep)
			}
		}
	}
}
