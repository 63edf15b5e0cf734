package deploy

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/infra/stack"
	"github.com/interlude-a2a/interlude/infra/tracker"
)

// fromFile deploys agents/coder, whose folder the turn function ships and whose card the api
// function (HARN-06, R-71), over a tool server of this machine.
func fromFile(t *testing.T, s *stack.Stack, ann caller) {
	tools := tracker.New(tracker.Options{})
	server := httptest.NewServer(tools)
	t.Cleanup(server.Close)
	s.Parameters["Agent"] = "coder"
	s.Parameters["ToolServers"] = "tracker=" + server.URL + "/mcp"
	s.Parameters["Networks"] = "127.0.0.0/8"
	s.Parameters["HeldCalls"] = "on"
	deploy(t, s)

	status, card := ann.call(t, http.MethodGet, "/.well-known/agent-card.json", "")
	if status != http.StatusOK || !strings.Contains(string(card), `"name":"coder"`) || !strings.Contains(string(card), publicURL) {
		t.Fatalf("card: %d %s", status, card)
	}
	asked := ann.send(t, text("c-1", "", "Open a pull request for issue 1"))
	if asked.Status.State != "TASK_STATE_AUTH_REQUIRED" || tools.Calls("create_pull_request", "") != 0 {
		t.Fatalf("%+v after %d calls", asked, tools.Calls("create_pull_request", ""))
	}
	status, call := ann.call(t, http.MethodGet, "/tasks/"+asked.ID+"/interactions/"+asked.Status.Message.Metadata[interactions].InteractionID+"/call", "")
	if status != http.StatusOK || !strings.Contains(string(call), `"branch":"fix-login"`) {
		t.Errorf("the held call: %d %s", status, call)
	}
	searchTable(t, s)
	done := ann.send(t, asked.answer(`"approved":true`))
	if done.ID != asked.ID || done.Status.State != "TASK_STATE_COMPLETED" || tools.Calls("create_pull_request", "") != 1 {
		t.Errorf("%+v after %d calls, want it made once", done, tools.Calls("create_pull_request", ""))
	}
	denied := ann.send(t, ann.send(t, text("c-2", "", "Open a pull request")).answer(`"approved":false`))
	if denied.Status.State != "TASK_STATE_COMPLETED" || tools.Calls("create_pull_request", "") != 1 {
		t.Errorf("denied: %+v after %d calls", denied, tools.Calls("create_pull_request", ""))
	}
}

// searchTable finds a held call's arguments in journals alone: in rows of their own, or in those that
// a header still holds.
func searchTable(t *testing.T, s *stack.Stack) {
	t.Helper()
	client := dynamodb.NewFromConfig(s.Emulator.Config("000000000000"))
	tables, err := client.ListTables(t.Context(), &dynamodb.ListTablesInput{})
	if err != nil {
		t.Fatal(err)
	}
	kept := 0
	for _, table := range tables.TableNames {
		pages := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: &table})
		for pages.HasMorePages() {
			page, err := pages.NextPage(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				pk, _ := item["pk"].(*types.AttributeValueMemberS)
				for name, value := range item {
					if !strings.Contains(contents(value), "fix-login") {
						continue
					}
					if kept++; name != "rows" && !strings.Contains(pk.Value, "#J#") {
						t.Errorf("%s of %s holds a held call's arguments", name, pk.Value)
					}
				}
			}
		}
	}
	if kept == 0 {
		t.Error("the held call is nowhere in the table: nothing was searched")
	}
}

// contents is whatever a value holds.
func contents(v types.AttributeValue) (all string) {
	switch v := v.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberB:
		return string(v.Value)
	case *types.AttributeValueMemberL:
		for _, e := range v.Value {
			all += contents(e)
		}
	case *types.AttributeValueMemberM:
		for name, e := range v.Value {
			all += name + contents(e)
		}
	default:
		return fmt.Sprint(v)
	}
	return all
}
