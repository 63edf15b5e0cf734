package sqs

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

func TestSend(t *testing.T) {
	t.Parallel()
	f := &fake{}
	if err := New(f, url).Send(t.Context(), named("", ""), 1500*time.Millisecond); err != nil {
		t.Fatalf("Send: %v", err)
	}
	want := []*awssqs.SendMessageInput{{
		QueueUrl:     aws.String(url),
		MessageBody:  aws.String(`{"key":{"id":"t1.a"}}`),
		DelaySeconds: 2, // MessageGroupId is nil: nobody's
	}}
	if diff := cmp.Diff(want, f.sends, cmpopts.IgnoreUnexported(awssqs.SendMessageInput{})); diff != "" {
		t.Errorf("calls (-want +got):\n%s", diff)
	}
}

func TestSeconds(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		in   time.Duration
		want int32
	}{
		{0, 0}, {1, 1}, {time.Second, 1}, {time.Second + 1, 2}, {40 * time.Second, 40}, {maxDelay, 900},
	} {
		f := &fake{answers: [][]types.Message{{{Body: aws.String(`{"key":{"id":"t1.a"}}`)}}}}
		q := New(f, url)
		_, err := q.Receive(t.Context(), 1, test.in)
		if err := errors.Join(q.Send(t.Context(), named("", ""), test.in), q.Extend(t.Context(), "r", test.in), err); err != nil {
			t.Fatalf("%v: %v", test.in, err)
		}
		got := []int32{f.sends[0].DelaySeconds, f.receives[0].VisibilityTimeout, f.extends[0].VisibilityTimeout}
		if diff := cmp.Diff([]int32{test.want, test.want, test.want}, got); diff != "" {
			t.Errorf("seconds of %v (-want +got):\n%s", test.in, diff)
		}
		f.calls(t, 3)
	}
}

func TestLimits(t *testing.T) {
	t.Parallel()
	f := &fake{}
	q := New(f, url)
	_, none := q.Receive(t.Context(), 0, 0)
	_, negative := q.Receive(t.Context(), 1, -1)
	_, long := q.Receive(t.Context(), 1, 12*time.Hour+1)
	for what, err := range map[string]error{
		"send, negative":    q.Send(t.Context(), named("", ""), -1),
		"send, too late":    q.Send(t.Context(), named("", ""), 15*time.Minute+1),
		"extend, negative":  q.Extend(t.Context(), "r", -1),
		"extend, too long":  q.Extend(t.Context(), "r", 12*time.Hour+1),
		"receive none":      none,
		"receive, negative": negative,
		"receive, too long": long,
	} {
		if err == nil {
			t.Errorf("%s: got no error", what)
		}
	}
	f.calls(t, 0)
}

// SQS takes ids of 1 to 128 letters, digits and punctuation.
func TestGroupID(t *testing.T) {
	t.Parallel()
	id := func(p queue.Poke) string {
		f := &fake{}
		if err := New(f, url).Send(t.Context(), p, 0); err != nil {
			t.Fatalf("Send: %v", err)
		}
		return aws.ToString(f.sends[0].MessageGroupId)
	}
	if id(named("acme", "ann")) != id(named("acme", "bob")) {
		t.Error("one tenant's owners are two groups")
	}
	seen := map[string]bool{}
	for _, p := range []queue.Poke{
		named("acme", "ann"), named("", "ann"), named("", "bob"), named("", strings.Repeat("o", 2048)),
		named("", "arn:aws:sts::123456789012:assumed-role/ann/s"), named("", "tab\t é🦊\x00"),
	} {
		got := id(p)
		if !regexp.MustCompile(`^[0-9a-f]{32}$`).MatchString(got) {
			t.Errorf("group %q: got id %q, want 32 hexadecimal digits", p.Group(), got)
		}
		if seen[got] {
			t.Errorf("group %q shares its id", p.Group())
		}
		seen[got] = true
	}
}

// refusal is an error of which the SDK knows only the code.
func refusal(code, message string) error {
	return &smithy.GenericAPIError{Code: code, Message: message}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		err  error
		gone bool
	}{
		{"not in flight", &types.MessageNotInflight{}, true},
		{"not in flight, by its old code", &types.MessageNotInflight{ErrorCodeOverride: aws.String("AWS.SimpleQueueService.MessageNotInflight")}, true},
		{"not a receipt", &types.ReceiptHandleIsInvalid{}, true},
		{"deleted", refusal("InvalidParameterValue", "Value r for parameter ReceiptHandle is invalid. Reason: Message does not exist or is not available for visibility timeout change."), true},
		{"expired", refusal("InvalidParameterValue", "Value r for parameter ReceiptHandle is invalid. Reason: The receipt handle has expired."), true},
		{"12 hours are over", refusal("InvalidParameterValue", "Value 40 for parameter VisibilityTimeout is invalid. Reason: Total VisibilityTimeout for the message is beyond the limit."), false},
		{"no queue", &types.QueueDoesNotExist{}, false},
		{"throttled", &types.RequestThrottled{}, false},
		{"forbidden", refusal("AccessDenied", "for parameter ReceiptHandle "), false},
		{"no network", errors.New("dial: refused"), false},
	} {
		f := &fake{err: test.err}
		q := New(f, url)
		err := q.Extend(t.Context(), "r", time.Second)
		if errors.Is(err, queue.ErrGone) != test.gone || !test.gone && !errors.Is(err, test.err) {
			t.Errorf("%s: Extend: got %v, want gone = %v or the cause", test.name, err, test.gone)
		}
		err = q.Delete(t.Context(), "r")
		if (err == nil) != test.gone || !test.gone && !errors.Is(err, test.err) {
			t.Errorf("%s: Delete: got %v, want no error = %v or the cause", test.name, err, test.gone)
		}
		if err := q.Send(t.Context(), named("", ""), 0); !errors.Is(err, test.err) {
			t.Errorf("%s: Send: got %v, want the cause", test.name, err)
		}
		f.calls(t, 3)
	}
}
