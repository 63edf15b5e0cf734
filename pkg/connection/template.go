package connection

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/access"
)

// placeholders of a template.
const (
	inTenant     = "{tenant}"     // as it is; - where there is none
	inOwner      = "{owner}"      // SHA-256 of the subject, in hex: subjects hold what names may not
	inConnection = "{connection}" // as the agent's file names it
)

// segment is what a tenant or a connection may be to stand in a name: nothing that leads elsewhere.
var segment = regexp.MustCompile(`^[A-Za-z0-9_-]{1,128}$`)

// errSegment says that a tenant or a connection cannot stand in a name.
var errSegment = errors.New("connection: a tenant or a connection is not 1 to 128 of letters, digits, _ and -")

// Template finds tokens under names that are made of a template with the placeholders {connection},
// {tenant} and {owner}. read returns an empty value where there is none.
func Template(template string, read func(ctx context.Context, name string) (string, error)) (Resolver, error) {
	rest := strings.NewReplacer(inTenant, "", inOwner, "", inConnection, "").Replace(template)
	switch {
	case !strings.Contains(template, inConnection):
		return nil, fmt.Errorf("connection: the template does not say where %s stands", inConnection)
	case strings.ContainsAny(rest, "{}"):
		return nil, fmt.Errorf("connection: the template has braces other than %s, %s and %s", inConnection, inTenant, inOwner)
	}
	return func(ctx context.Context, who access.Principal, connection string) (Token, error) {
		name, err := fill(template, who, connection)
		if err != nil {
			return Token{}, err
		}
		value, err := read(ctx, name)
		return Token{Value: value}, err
	}, nil
}

func fill(template string, who access.Principal, connection string) (string, error) {
	tenant := who.Tenant
	if tenant == "" {
		tenant = "-"
	}
	if !segment.MatchString(tenant) || !segment.MatchString(connection) {
		return "", errSegment
	}
	owner := sha256.Sum256([]byte(who.Subject))
	return strings.NewReplacer(inTenant, tenant, inOwner, hex.EncodeToString(owner[:]), inConnection, connection).Replace(template), nil
}
