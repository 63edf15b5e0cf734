package template

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/interlude-a2a/interlude/pkg/server"
)

// queues are the queues that functions are fed from, by function.
func queues(t *testing.T, tmpl template) map[string]resource {
	t.Helper()
	out := map[string]resource{}
	for name, f := range tmpl.functions() {
		events, _ := f["Events"].(map[string]node)
		for _, e := range events {
			if at(e, "Type") != "SQS" {
				continue
			}
			ref, _ := at(e, "Properties", "Queue", "Fn::GetAtt").(string)
			queue, ok := tmpl.Resources[strings.TrimSuffix(ref, ".Arn")]
			if !ok {
				t.Fatalf("%s is fed from %q, want a queue of the template", name, ref)
			}
			out[name] = queue
		}
	}
	if len(out) == 0 {
		t.Fatal("no function is fed from a queue")
	}
	return out
}

// Lambda wants six time-outs, and one failed message must not repeat or hold up another.
func TestQueues(t *testing.T) {
	t.Parallel()
	tmpl := read(t)
	for name, queue := range queues(t, tmpl) {
		f := tmpl.functions()[name]
		if visible, timeout := queue.Properties["VisibilityTimeout"].(int), f["Timeout"].(int); visible < 6*timeout {
			t.Errorf("%s: visibility %d s, want at least 6 × %d s", name, visible, timeout)
		}
		letters, _ := at(queue.Properties["RedrivePolicy"], "deadLetterTargetArn", "Fn::GetAtt").(string)
		dead, ok := tmpl.Resources[strings.TrimSuffix(letters, ".Arn")]
		if !ok || dead.Properties["MessageRetentionPeriod"].(int) < queue.Properties["MessageRetentionPeriod"].(int) {
			t.Errorf("%s: dead letters go to %q, want a queue that keeps them as long", name, letters)
		}
		if n, _ := at(queue.Properties["RedrivePolicy"], "maxReceiveCount").(int); n < 20 {
			t.Errorf("%s: maxReceiveCount %d, want at least 20 (counterexample 16)", name, n)
		}
		for event, e := range f["Events"].(map[string]node) {
			if got := fmt.Sprint(at(e, "Properties", "FunctionResponseTypes")); got != "[ReportBatchItemFailures]" {
				t.Errorf("%s.%s: FunctionResponseTypes %s", name, event, got)
			}
		}
	}
}

func TestOnlyTurnsMayLoop(t *testing.T) {
	t.Parallel()
	for name, f := range read(t).functions() {
		want := node(nil)
		if name == "TurnFunction" {
			want = "Allow"
		}
		if f["RecursiveLoop"] != want {
			t.Errorf("%s: RecursiveLoop %v, want %v", name, f["RecursiveLoop"], want)
		}
	}
}

// Streamed unless the parameter says otherwise, by a gateway that lets a blocking call wait.
func TestRoutesStream(t *testing.T) {
	t.Parallel()
	tmpl := read(t)
	api := tmpl.Resources["Api"].Properties
	if got := at(api["EndpointConfiguration"], "Type"); got != "REGIONAL" {
		t.Errorf("endpoint %v, want REGIONAL: others cut idle streams", got)
	}
	if got := tmpl.Parameters["Responses"]["Default"]; got != "RESPONSE_STREAM" {
		t.Errorf("Responses: default %v", got)
	}
	paths, _ := at(api["DefinitionBody"], "paths").(map[string]node)
	routes := []string{}
	for p, methods := range paths {
		for m, op := range methods.(map[string]node) {
			routes = append(routes, m+" "+p)
			i := at(op, "x-amazon-apigateway-integration")
			checkStreams(t, m+" "+p, i)
			timeout, _ := at(i, "timeoutInMillis", "Fn::If").([]node)
			if len(timeout) != 3 || timeout[1].(int) <= int(server.DefaultBlockingWait.Milliseconds()) || timeout[2].(int) > 29000 {
				t.Errorf("%s %s: timeoutInMillis %v", m, p, timeout)
			}
		}
	}
	slices.Sort(routes)
	want := []string{"delete /{proxy+}", "get /.well-known/agent-card.json", "get /{proxy+}", "head /.well-known/agent-card.json", "options /.well-known/agent-card.json", "post /", "post /{proxy+}"}
	if !slices.Equal(routes, want) {
		t.Errorf("routes %v, want %v", routes, want)
	}
	if api := tmpl.functions()["ApiFunction"]; api["Timeout"].(int) <= int(server.DefaultBlockingWait.Seconds()) {
		t.Errorf("the function is ended after %v s, before a blocking call is", api["Timeout"])
	}
}

func checkStreams(t *testing.T, route string, integration node) {
	t.Helper()
	mode := fmt.Sprint(at(integration, "responseTransferMode", "Fn::If"))
	if mode != "[Streams STREAM BUFFERED]" {
		t.Errorf("%s: responseTransferMode %s", route, mode)
	}
	uri, _ := at(integration, "uri", "Fn::If").([]node)
	if len(uri) != 3 || uri[0] != "Streams" {
		t.Fatalf("%s: uri %v, want one for each mode", route, uri)
	}
	streamed, buffered := fmt.Sprint(uri[1]), fmt.Sprint(uri[2])
	if !strings.Contains(streamed, "/2021-11-15/") || !strings.Contains(streamed, "/response-streaming-invocations") {
		t.Errorf("%s: streamed by %s", route, streamed)
	}
	if !strings.Contains(buffered, "/2015-03-31/") || strings.Contains(buffered, "streaming") {
		t.Errorf("%s: buffered by %s", route, buffered)
	}
}

// The card alone is open.
func TestOnlyTheCardIsOpen(t *testing.T) {
	t.Parallel()
	tmpl := read(t)
	if got := tmpl.Parameters["Authentication"]["Default"]; got != "AWS_IAM" {
		t.Errorf("Authentication: default %v", got)
	}
	api := tmpl.Resources["Api"].Properties
	if got := at(api["Auth"], "DefaultAuthorizer", "Ref"); got != "Authentication" {
		t.Errorf("authorizer %v", got)
	}
	for p, methods := range at(api["DefinitionBody"], "paths").(map[string]node) {
		for m, op := range methods.(map[string]node) {
			if open := at(op, "security") != nil; open != (p == "/.well-known/agent-card.json") {
				t.Errorf("%s %s: open is %t", m, p, open)
			}
		}
	}
}

// What the gateway answers by itself is JSON of A2A's shape.
func TestGatewayResponses(t *testing.T) {
	t.Parallel()
	responses := read(t).Resources["Api"].Properties["GatewayResponses"].(map[string]node)
	for name, r := range responses {
		body, _ := at(r, "ResponseTemplates", "application/json").(string)
		body = strings.ReplaceAll(body, "$context.error.messageString", `"text"`)
		var status struct {
			Error struct {
				Code            int
				Status, Message string
				Details         []any
			}
		}
		if err := json.Unmarshal([]byte(body), &status); err != nil || status.Error.Status == "" || status.Error.Message == "" || status.Error.Details == nil {
			t.Errorf("%s: %s: %v", name, body, err)
		}
		if code := at(r, "StatusCode"); code != nil && code != status.Error.Code {
			t.Errorf("%s: code %d in the body of a %v", name, status.Error.Code, code)
		}
	}
	if at(responses["MISSING_AUTHENTICATION_TOKEN"], "ResponseParameters", "Headers", "WWW-Authenticate") == nil {
		t.Error("an unsigned call is not challenged (R-14)")
	}
}

// Every function has a role of its own: SAM would add policies on all queues and logs.
func TestPoliciesAreNarrow(t *testing.T) {
	t.Parallel()
	tmpl := read(t)
	indexes := map[string][]string{}
	for name, f := range tmpl.functions() {
		role, _ := at(f["Role"], "Fn::GetAtt").(string)
		role = strings.TrimSuffix(role, ".Arn")
		policies, ok := tmpl.Resources[role].Properties["Policies"].([]node)
		if !ok || f["Policies"] != nil || tmpl.Resources[role].Properties["ManagedPolicyArns"] != nil {
			t.Errorf("%s: role %q, want one of inline policies alone", name, role)
		}
		for _, p := range policies {
			for _, s := range at(p, "PolicyDocument", "Statement").([]node) {
				checkNarrow(t, name, s)
				for _, index := range []string{"owner", "context", "recovery"} {
					if strings.Contains(fmt.Sprint(at(s, "Resource")), "/index/"+index) {
						indexes[index] = append(indexes[index], name)
					}
				}
			}
		}
	}
	want := map[string][]string{"owner": {"ApiFunction"}, "context": {"ApiFunction"}, "recovery": {"RecoverFunction"}}
	if fmt.Sprint(indexes) != fmt.Sprint(want) {
		t.Errorf("indexes read by %v, want %v", indexes, want)
	}
}

func checkNarrow(t *testing.T, name string, statement node) {
	t.Helper()
	for _, action := range list(at(statement, "Action")) {
		a := fmt.Sprint(action)
		if strings.Contains(a, "*") || strings.HasSuffix(a, ":Scan") || strings.HasSuffix(a, ":DeleteItem") {
			t.Errorf("%s may %s", name, a)
		}
	}
	for _, resource := range list(at(statement, "Resource")) {
		r := fmt.Sprint(resource)
		below, own := strings.CutSuffix(r, "/*]")
		if own = own && name == "TurnFunction" && (strings.HasSuffix(below, "interlude/${AWS::StackName}/models") || strings.HasSuffix(below, "interlude/${AWS::StackName}/tokens")); own {
			r = below
		}
		if strings.Contains(r, "*") {
			t.Errorf("%s may act on %v", name, resource)
		}
	}
}

func list(n node) []node {
	if l, ok := n.([]node); ok {
		return l
	}
	return []node{n}
}

// nothing is paid for while nobody calls.
func TestIdleCostsNothing(t *testing.T) {
	t.Parallel()
	tmpl := read(t)
	free := []string{
		"AWS::Serverless::Api", "AWS::Serverless::Function", "AWS::Lambda::Permission", "AWS::IAM::Role",
		"AWS::Logs::LogGroup", "AWS::SQS::Queue", "AWS::SQS::QueuePolicy", "AWS::DynamoDB::Table",
	}
	for name, r := range tmpl.Resources {
		if !slices.Contains(free, r.Type) {
			t.Errorf("%s is a %s, which is not known to be free while idle", name, r.Type)
		}
		each(map[string]node(r.Properties), func(m map[string]node) {
			for _, paid := range []string{
				"ProvisionedConcurrencyConfig", "ProvisionedThroughput", "ProvisionedPollerConfig", "ScalingConfig",
				"CacheClusterEnabled", "KmsMasterKeyId", "KmsKeyArn", "KMSMasterKeyId", "TracingEnabled",
			} {
				if _, ok := m[paid]; ok {
					t.Errorf("%s has %s, which costs while idle", name, paid)
				}
			}
		})
	}
	if n := len(queues(t, tmpl)); n > 2 {
		t.Errorf("%d queues are polled, want 2 at most", n)
	}
	table := tmpl.Resources["Table"]
	if table.Properties["BillingMode"] != "PAY_PER_REQUEST" || tmpl.Parameters["Backups"]["Default"] != "off" {
		t.Error("the table is not paid by request alone")
	}
	for _, p := range []string{"ApiConcurrency", "TurnConcurrency"} {
		if tmpl.Parameters[p]["Default"] != -1 {
			t.Errorf("%s: default %v, want none: new accounts have no room", p, tmpl.Parameters[p]["Default"])
		}
	}
}

// Tasks outlive the stack, and finished ones go when they are told to.
func TestTableIsKept(t *testing.T) {
	t.Parallel()
	table := read(t).Resources["Table"]
	if table.DeletionPolicy != "Retain" {
		t.Errorf("DeletionPolicy %q", table.DeletionPolicy)
	}
	if ttl := table.Properties["TimeToLiveSpecification"]; at(ttl, "AttributeName") != "ttl" || at(ttl, "Enabled") != true {
		t.Errorf("TTL %v", ttl)
	}
}

// SAM tells by the definition's own text whether to deploy an API again, so a parameter that works
// by a condition in it would reach the functions and not the stage.
func TestApiFollowsItsParameters(t *testing.T) {
	t.Parallel()
	api := read(t).Resources["Api"].Properties
	conditional := false
	each(api["DefinitionBody"], func(m map[string]node) {
		_, is := m["Fn::If"]
		conditional = conditional || is
	})
	if conditional && api["AlwaysDeploy"] != true {
		t.Errorf("AlwaysDeploy: got %v, want true", api["AlwaysDeploy"])
	}
}

// the secret's name does for each stack, also one whose name SSM would refuse, and is the one
// that the function may make.
func TestSecretParameter(t *testing.T) {
	t.Parallel()
	tmpl := read(t)
	name, _ := at(tmpl.functions()["ApiFunction"]["Environment"], "Variables", "SECRET_PARAMETER", "Fn::Sub").(string)
	if !strings.HasPrefix(name, "/interlude/") || !strings.Contains(name, "${AWS::StackName}") {
		t.Errorf("got %q, want one of the stack below /interlude", name)
	}
	allowed := ""
	each(tmpl.Resources["ApiRole"].Properties["Policies"], func(m map[string]node) {
		if fmt.Sprint(m["Action"]) == "[ssm:GetParameter ssm:PutParameter]" {
			allowed, _ = at(m["Resource"], "Fn::Sub").(string)
		}
	})
	if !strings.HasSuffix(allowed, ":parameter"+name) {
		t.Errorf("the role may use %q, want %q", allowed, name)
	}
}
