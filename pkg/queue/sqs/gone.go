package sqs

import (
	"errors"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
)

// gone reports whether SQS refused a receipt. For one of a deleted message, or that has expired,
// it says InvalidParameterValue, as it does of any other parameter: only the text tells which.
func gone(err error) bool {
	if _, ok := errors.AsType[*types.MessageNotInflight](err); ok {
		return true
	}
	if _, ok := errors.AsType[*types.ReceiptHandleIsInvalid](err); ok {
		return true
	}
	api, ok := errors.AsType[smithy.APIError](err)
	return ok && api.ErrorCode() == "InvalidParameterValue" && strings.Contains(api.ErrorMessage(), "for parameter ReceiptHandle ")
}
