package dynamodb

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// The indexes.
const (
	ownerIndex    = "owner"
	contextIndex  = "context"
	recoveryIndex = "recovery"
)

// listed is what a list shows of a task, beside its keys.
var listed = []string{"owner", "id", "contextId", "status", "state", "ttl"}

// Table describes the table of that name, as template.yaml makes it. Items expire by the attribute
// ttl, which is to be switched on apart.
func Table(name string) *dynamodb.CreateTableInput {
	return &dynamodb.CreateTableInput{
		TableName:   &name,
		BillingMode: types.BillingModePayPerRequest,
		KeySchema:   keySchema("pk", "sk"),
		AttributeDefinitions: []types.AttributeDefinition{
			attribute("pk", types.ScalarAttributeTypeS), attribute("sk", types.ScalarAttributeTypeS),
			attribute("lo", types.ScalarAttributeTypeS), attribute("lc", types.ScalarAttributeTypeS), attribute("ls", types.ScalarAttributeTypeS),
			attribute("lw", types.ScalarAttributeTypeS), attribute("wake", types.ScalarAttributeTypeN),
		},
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{
			index(ownerIndex, "lo", "ls", listed),
			index(contextIndex, "lc", "ls", listed),
			index(recoveryIndex, "lw", "wake", []string{"owner"}),
		},
	}
}

func attribute(name string, t types.ScalarAttributeType) types.AttributeDefinition {
	return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: t}
}

func keySchema(hash, sort string) []types.KeySchemaElement {
	return []types.KeySchemaElement{
		{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash},
		{AttributeName: aws.String(sort), KeyType: types.KeyTypeRange},
	}
}

func index(name, hash, sort string, include []string) types.GlobalSecondaryIndex {
	return types.GlobalSecondaryIndex{
		IndexName:  aws.String(name),
		KeySchema:  keySchema(hash, sort),
		Projection: &types.Projection{ProjectionType: types.ProjectionTypeInclude, NonKeyAttributes: include},
	}
}
