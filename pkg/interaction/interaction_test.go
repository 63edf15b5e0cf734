package interaction_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
)

const uri = "https://docs.nylorun.com/a2a/interactions/v1"

// INT-01: the exact string, which clients compare.
func TestURI(t *testing.T) {
	t.Parallel()
	if interaction.URI != uri {
		t.Errorf("URI: got %q, want %q", interaction.URI, uri)
	}
}

// INT-20: listed on the card and never required.
func TestExtension(t *testing.T) {
	t.Parallel()
	e := interaction.Extension()
	if e.URI != uri || e.Description == "" || e.Required {
		t.Errorf("Extension: got %+v, want the URI, a description, and required false", e)
	}
}

// INT-09, R-07.
func TestKindState(t *testing.T) {
	t.Parallel()
	for kind, want := range map[interaction.Kind]a2a.TaskState{
		interaction.Approval:   "TASK_STATE_AUTH_REQUIRED",
		interaction.Question:   "TASK_STATE_INPUT_REQUIRED",
		interaction.Connection: "TASK_STATE_AUTH_REQUIRED",
	} {
		if got := kind.State(); got != want {
			t.Errorf("%s: got %s, want %s", kind, got, want)
		}
	}
}

// INT-03 to INT-08, CONN-04: the status message, as the interactions page has it.
func TestMessage(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		open interaction.Interaction
		want string
	}{
		{
			"approval (INT-04, INT-08)",
			interaction.NewApproval("eff_01J", "github", "create_pull_request", ""),
			`{
				"messageId": "m-1", "taskId": "t1.abc", "contextId": "ticket-4821",
				"role": "ROLE_AGENT",
				"parts": [{ "text": "Approve github / create_pull_request?" }],
				"extensions": ["https://docs.nylorun.com/a2a/interactions/v1"],
				"metadata": {
					"https://docs.nylorun.com/a2a/interactions/v1": {
						"interactionId": "eff_01J",
						"kind": "approval",
						"prompt": "Approve github / create_pull_request?",
						"detail": { "server": "github", "tool": "create_pull_request" }
					}
				}
			}`,
		},
		{
			"approval with a reason (INT-07)",
			interaction.NewApproval("eff_01J", "mail", "send", "Mail leaves the company & <can't> be recalled."),
			`{
				"messageId": "m-1", "taskId": "t1.abc", "contextId": "ticket-4821",
				"role": "ROLE_AGENT",
				"parts": [{ "text": "Approve mail / send?" }],
				"extensions": ["https://docs.nylorun.com/a2a/interactions/v1"],
				"metadata": {
					"https://docs.nylorun.com/a2a/interactions/v1": {
						"interactionId": "eff_01J",
						"kind": "approval",
						"prompt": "Approve mail / send?",
						"detail": { "server": "mail", "tool": "send", "reason": "Mail leaves the company & <can't> be recalled." }
					}
				}
			}`,
		},
		{
			"question (INT-06)",
			interaction.NewQuestion("eff_02K", "Window or aisle?"),
			`{
				"messageId": "m-1", "taskId": "t1.abc", "contextId": "ticket-4821",
				"role": "ROLE_AGENT",
				"parts": [{ "text": "Window or aisle?" }],
				"extensions": ["https://docs.nylorun.com/a2a/interactions/v1"],
				"metadata": {
					"https://docs.nylorun.com/a2a/interactions/v1": {
						"interactionId": "eff_02K",
						"kind": "question",
						"prompt": "Window or aisle?"
					}
				}
			}`,
		},
		{
			"connection (CONN-04)",
			interaction.NewConnection("eff_03L", "Linear", "To file the ticket."),
			`{
				"messageId": "m-1", "taskId": "t1.abc", "contextId": "ticket-4821",
				"role": "ROLE_AGENT",
				"parts": [{ "text": "Connect Linear: To file the ticket." }],
				"extensions": ["https://docs.nylorun.com/a2a/interactions/v1"],
				"metadata": {
					"https://docs.nylorun.com/a2a/interactions/v1": {
						"interactionId": "eff_03L",
						"kind": "connection",
						"prompt": "Connect Linear: To file the ticket.",
						"detail": { "app": "Linear", "reason": "To file the ticket." }
					}
				}
			}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := a2a.Marshal(test.open.Message("m-1", "t1.abc", "ticket-4821"))
			if err != nil {
				t.Fatalf("Marshal: %v", err)
			}
			if diff := cmp.Diff(parse(t, test.want), parse(t, string(got))); diff != "" {
				t.Errorf("message (-want +got):\n%s", diff)
			}
		})
	}
}

// a further round about an effect has an id of its own and is still about that effect.
func TestResend(t *testing.T) {
	t.Parallel()
	const effect = "eff_01J"
	first := interaction.NewApproval(effect, "bank", "pay", "")
	second := interaction.NewResend(effect, 2, "bank", "pay")
	if first.ID != effect || second.ID != effect+".2" {
		t.Errorf("ids: got %q and %q, want %q and %q", first.ID, second.ID, effect, effect+".2")
	}
	for _, i := range []interaction.Interaction{first, second} {
		if got := i.EffectID(); got != effect {
			t.Errorf("EffectID of %q: got %q, want %q", i.ID, got, effect)
		}
	}
	if second.Kind != interaction.Approval || second.Detail == nil || second.Detail.Server != "bank" || second.Detail.Tool != "pay" {
		t.Errorf("resend: got %+v, want an approval about bank / pay", second)
	}
	if second.Prompt == first.Prompt {
		t.Errorf("resend: prompt %q does not say that the call may have run (R-32)", second.Prompt)
	}
}

// CONN-03: app and reason are cut at 80 and 280 characters, not bytes, in detail and prompt.
func TestConnectionIsCut(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, char string }{{"ASCII", "a"}, {"two bytes", "é"}, {"four bytes", "🦊"}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := interaction.NewConnection("eff_1", strings.Repeat(test.char, 81), strings.Repeat(test.char, 281))
			app, reason := strings.Repeat(test.char, 80), strings.Repeat(test.char, 280)
			if c.Detail.App != app {
				t.Errorf("app: got %d characters, want 80", utf8.RuneCountInString(c.Detail.App))
			}
			if c.Detail.Reason != reason {
				t.Errorf("reason: got %d characters, want 280", utf8.RuneCountInString(c.Detail.Reason))
			}
			if want := "Connect " + app + ": " + reason; c.Prompt != want {
				t.Errorf("prompt: got %q, want %q", c.Prompt, want)
			}
		})
	}
	whole := interaction.NewConnection("eff_1", strings.Repeat("é", 80), strings.Repeat("é", 280))
	if whole.Detail.App != strings.Repeat("é", 80) || whole.Detail.Reason != strings.Repeat("é", 280) {
		t.Errorf("what just fits was cut: %+v", whole.Detail)
	}
}

// INT-05, INT-07: what is stored is what was raised; an interaction reads back as it was written.
func TestInteractionRoundTrip(t *testing.T) {
	t.Parallel()
	want := interaction.NewConnection("eff_1", "app \u2028 \"x\"", "<why> & when")
	b, err := json.Marshal(want)
	if err != nil {
		t.Fatalf("Marshal: %v", err)
	}
	var got interaction.Interaction
	if err := json.Unmarshal(b, &got); err != nil {
		t.Fatalf("Unmarshal: %v", err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("interaction (-want +got):\n%s", diff)
	}
}

func parse(t *testing.T, doc string) any {
	t.Helper()
	var v any
	if err := json.Unmarshal([]byte(doc), &v); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	return v
}
