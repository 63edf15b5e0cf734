package meter

import (
	"github.com/aws/aws-sdk-go-v2/service/sqs"
)

const chunk = 64 << 10 // bytes of one request of SQS

// requests is how many requests SQS bills a call as, and how many of them at the price of fair
// queues. A batch in which one message has a group id is taken for one in which all have.
func requests(in, out any) (all, fair int) {
	switch in := in.(type) {
	case *sqs.SendMessageInput:
		all = pieces(len(*in.MessageBody), chunk)
		if in.MessageGroupId != nil {
			fair = all
		}
		return all, fair
	case *sqs.SendMessageBatchInput:
		n := 0
		for _, e := range in.Entries {
			n += len(*e.MessageBody)
			if e.MessageGroupId != nil {
				fair = 1
			}
		}
		all = pieces(n, chunk)
		return all, fair * all
	case *sqs.ReceiveMessageInput:
		n := 0
		if out, ok := out.(*sqs.ReceiveMessageOutput); ok {
			for _, m := range out.Messages {
				n += len(*m.Body)
			}
		}
		return pieces(n, chunk), 0
	}
	return 1, 0
}
