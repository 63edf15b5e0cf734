package tracker

import (
	"context"
	"errors"
	"fmt"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

type none struct{}

type byNumber struct {
	Number int `json:"number" jsonschema:"number of the issue"`
}

type labeled struct {
	Number int    `json:"number" jsonschema:"number of the issue"`
	Label  string `json:"label" jsonschema:"the label; setting it again changes nothing"`
}

type written struct {
	Title string `json:"title"`
	Body  string `json:"body,omitempty"`
}

type proposed struct {
	Title  string `json:"title"`
	Branch string `json:"branch" jsonschema:"the branch with the changes"`
	Issue  int    `json:"issue,omitempty" jsonschema:"number of the issue that it closes"`
}

type remark struct {
	Number int    `json:"number" jsonschema:"number of the issue"`
	Text   string `json:"text"`
}

type listed struct {
	Issues []issue `json:"issues"`
}

type numbered struct {
	Number int `json:"number"`
}

func (t *Tracker) addTools() {
	reads := &sdk.ToolAnnotations{ReadOnlyHint: true}
	repeats := &sdk.ToolAnnotations{IdempotentHint: true}
	add(t, &sdk.Tool{Name: "list_issues", Description: "Lists all issues.", Annotations: reads},
		func(none) (listed, error) { return listed{t.list()}, nil })
	add(t, &sdk.Tool{Name: "get_issue", Description: "Reads an issue.", Annotations: reads},
		func(in byNumber) (issue, error) { return t.change(in.Number, func(*issue) {}) })
	add(t, &sdk.Tool{Name: "set_label", Description: "Puts a label on an issue.", Annotations: repeats},
		func(in labeled) (issue, error) { return t.change(in.Number, func(i *issue) { i.label(in.Label) }) })
	add(t, &sdk.Tool{Name: "create_issue", Description: "Opens an issue."},
		func(in written) (numbered, error) { return numbered{t.open(in)}, nil })
	add(t, &sdk.Tool{Name: "create_pull_request", Description: "Opens a pull request."},
		func(proposed) (numbered, error) { return numbered{t.propose()}, nil })
	add(t, &sdk.Tool{Name: "comment", Description: "Comments on an issue."},
		func(in remark) (issue, error) {
			return t.change(in.Number, func(i *issue) { i.Comments = append(i.Comments, in.Text) })
		})
	add(t, &sdk.Tool{Name: "delete_issue", Description: "Deletes an issue for good."},
		func(in byNumber) (numbered, error) { return numbered(in), t.remove(in.Number) })
}

// Describe changes what the tracker says of list_issues, as a server does that was updated.
func (t *Tracker) Describe(description string) {
	add(t, &sdk.Tool{Name: "list_issues", Description: description, Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(none) (listed, error) { return listed{t.list()}, nil })
}

// add registers a tool with its faults and its count.
func add[In, Out any](t *Tracker, described *sdk.Tool, run func(In) (Out, error)) {
	sdk.AddTool(t.mcp, described, func(ctx context.Context, r *sdk.CallToolRequest, in In) (*sdk.CallToolResult, Out, error) {
		var out Out
		f := t.fault(described.Name)
		if f.Fail {
			return nil, out, errors.New("the tracker is being repaired")
		}
		t.ran(described.Name, r.Params.Meta)
		out, err := run(in)
		if f.Wait != nil {
			select {
			case <-f.Wait:
			case <-ctx.Done():
			}
		}
		return nil, out, err
	})
}

func noIssue(number int) error { return fmt.Errorf("there is no issue %d", number) }
