package lambda

import (
	"net/http"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/access"
)

// Subject says whom the tasks of an assumed role belong to.
type Subject string

// The subjects.
const (
	SubjectSession Subject = "session" // each session alone: the whole ARN
	SubjectRole    Subject = "role"    // all sessions of the role: the ARN without the session's name
)

// challenge is what callers sign their requests with.
const challenge = "AWS4-HMAC-SHA256"

// IAM takes a request's caller from API Gateway, which checked its signature. A request
// that API Gateway names no caller for is refused.
func IAM(s Subject) access.Authenticator {
	return access.AuthenticatorFunc(func(r *http.Request) (access.Principal, error) {
		arn := gateway(r.Context()).Identity.UserArn
		if arn == "" {
			return access.Principal{}, &access.Unauthenticated{Challenge: challenge}
		}
		if s == SubjectRole {
			arn = roleOf(arn)
		}
		return access.Principal{Subject: arn, Method: "iam"}, nil
	})
}

// roleOf is an ARN without the name of an assumed role's session; other ARNs have none. It reads
// arn:PARTITION:sts::ACCOUNT:assumed-role/ROLE/SESSION.
func roleOf(arn string) string {
	fields := strings.SplitN(arn, ":", 6)
	if len(fields) < 6 || !strings.HasPrefix(fields[5], "assumed-role/") {
		return arn
	}
	if parts := strings.Split(fields[5], "/"); len(parts) == 3 {
		return strings.TrimSuffix(arn, "/"+parts[2])
	}
	return arn
}
