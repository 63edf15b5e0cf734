package interaction_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

const other = "https://example.com/ext/v1"

// INT-10, R-02, R-48: the text stays, the extension goes, other extensions stay.
func TestHide(t *testing.T) {
	t.Parallel()
	entry := json.RawMessage(`{"interactionId":"eff_1"}`)
	for _, test := range []struct {
		name      string
		give      a2a.Message
		wantExts  []string
		wantMetas a2a.Metadata
	}{
		{"an interaction", a2a.Message{Extensions: []string{uri}, Metadata: a2a.Metadata{uri: entry}}, nil, nil},
		{
			"beside others",
			a2a.Message{Extensions: []string{other, uri, uri}, Metadata: a2a.Metadata{uri: entry, other: entry, "trace": entry}},
			[]string{other}, a2a.Metadata{other: entry, "trace": entry},
		},
		{"listed only", a2a.Message{Extensions: []string{uri}, Metadata: a2a.Metadata{"trace": entry}}, nil, a2a.Metadata{"trace": entry}},
		{"entry only", a2a.Message{Extensions: []string{other}, Metadata: a2a.Metadata{uri: entry}}, []string{other}, nil},
		{"without", a2a.Message{Extensions: []string{other}, Metadata: a2a.Metadata{"trace": entry}}, []string{other}, a2a.Metadata{"trace": entry}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			give := test.give
			give.MessageID, give.TaskID, give.ContextID, give.Role = "m-1", "t1.a", "c-1", a2a.RoleAgent
			give.Parts = []a2a.Part{{Content: a2a.Text("Approve github / create_pull_request?")}}
			before := marshal(t, give)

			want := give
			want.Extensions, want.Metadata = test.wantExts, test.wantMetas
			if diff := cmp.Diff(want, interaction.Hide(give)); diff != "" {
				t.Errorf("hidden (-want +got):\n%s", diff)
			}
			if after := marshal(t, give); after != before {
				t.Errorf("Hide changed the message itself: got %s, want %s", after, before)
			}
		})
	}
}

// status and history, the callers' own messages included.
func TestHideAll(t *testing.T) {
	t.Parallel()
	open := interaction.NewApproval("eff_2", "github", "merge", "")
	status := open.Message("m-3", "t1.a", "c-1")
	answer := message("m-2", `{"interactionId":"eff_1","approved":true}`, a2a.Text("go ahead"))
	task := a2a.Task{
		ID:      "t1.a",
		Status:  a2a.TaskStatus{State: a2a.TaskStateAuthRequired, Message: &status},
		History: []a2a.Message{interaction.NewQuestion("eff_0", "Which?").Message("m-1", "t1.a", "c-1"), answer},
	}
	before := marshal(t, task)
	got := marshal(t, interaction.HideAll(task))
	if strings.Contains(got, uri) || strings.Contains(got, "eff_") {
		t.Errorf("HideAll: got %s, want no trace of the extension", got)
	}
	for _, text := range []string{open.Prompt, "Which?", "go ahead"} {
		if !strings.Contains(got, text) {
			t.Errorf("HideAll: got %s, want the text %q in it", got, text)
		}
	}
	if after := marshal(t, task); after != before {
		t.Errorf("HideAll changed the task itself: got %s, want %s", after, before)
	}

	bare := a2a.Task{ID: "t1.b", Status: a2a.TaskStatus{State: a2a.TaskStateWorking}}
	if diff := cmp.Diff(bare, interaction.HideAll(bare)); diff != "" {
		t.Errorf("a task without messages (-want +got):\n%s", diff)
	}
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	b, err := a2a.Marshal(v)
	if err != nil {
		t.Fatalf("Marshal: %v", err)
	}
	return string(b)
}
