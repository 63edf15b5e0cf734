package dynamodb

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// filteredPage is how many tasks a page with a filter by state looks at, at least: the filter
// works on what was read.
const filteredPage = 100

// List implements [task.Store]: one query of an index, eventually consistent. A page with a filter
// by state may be short.
func (s *Store) List(ctx context.Context, scope task.Scope, q task.Query) (task.Page, error) {
	limit := max(q.Limit, 1)
	out, err := s.db.Query(ctx, s.listQuery(scope, q, limit))
	if err != nil {
		return task.Page{}, fmt.Errorf("dynamodb: list tasks: %w", err)
	}
	var page task.Page
	for _, i := range out.Items {
		l, err := listedOf(scope, i)
		if err != nil {
			return task.Page{}, err
		}
		if q.From.ID != "" && item(i).str("ls") == place(q.From.At, q.From.ID) { // where the page before ended
			continue
		}
		if len(page.Tasks) == limit {
			page.Next = new(cursor(page.Tasks[limit-1]))
			return page, nil
		}
		page.Tasks = append(page.Tasks, l)
	}
	page.Next, err = lookedAt(out.LastEvaluatedKey)
	return page, err
}

// listQuery asks an index for one task more than the page holds, to know whether there is another
// page, and for the one where the page before ended: a range's end can't be left out.
func (s *Store) listQuery(scope task.Scope, q task.Query, limit int) *dynamodb.QueryInput {
	e := newExpression()
	index, key, partition := ownerIndex, "lo", ownerKey(scope)
	if q.ContextID != "" {
		index, key, partition = contextIndex, "lc", contextKey(scope, q.ContextID)
	}
	from, to, ask := "", lastPlace, limit+1
	if !q.After.IsZero() {
		from = moment(q.After.Add(time.Millisecond - time.Nanosecond).UnixMilli()) // the first not before it
	}
	if q.From.ID != "" {
		to = place(q.From.At, q.From.ID)
		ask++
	}
	filter := "(attribute_not_exists(" + e.name("ttl") + ") OR " + e.name("ttl") + " >= " + e.value(num(uint64(s.now().Unix()))) + ")"
	if q.State != "" {
		filter += " AND " + e.name("state") + " = " + e.value(str(string(q.State)))
		ask = max(ask, filteredPage)
	}
	condition := e.name(key) + " = " + e.value(str(partition))
	if from == "" {
		condition += " AND " + e.name("ls") + " <= " + e.value(str(to))
	} else {
		condition += " AND " + e.name("ls") + " BETWEEN " + e.value(str(from)) + " AND " + e.value(str(max(from, to)))
	}
	return &dynamodb.QueryInput{
		TableName: s.table, IndexName: &index, ScanIndexForward: new(false), Limit: new(int32(ask)),
		KeyConditionExpression: &condition, FilterExpression: &filter,
		ExpressionAttributeNames: e.names, ExpressionAttributeValues: e.values,
	}
}

func listedOf(scope task.Scope, i item) (l task.Listed, err error) {
	l = task.Listed{Key: task.Key{Scope: scope, ID: i.str("id")}, ContextID: i.str("contextId")}
	if err := json.Unmarshal(i.bin("status"), &l.Status); err != nil {
		return l, fmt.Errorf("dynamodb: read a status: %w", err)
	}
	return l, nil
}

func cursor(l task.Listed) task.Cursor { return task.Cursor{At: l.Status.Timestamp, ID: l.Key.ID} }

// lookedAt is where a query stopped; nil: at the end.
func lookedAt(key item) (*task.Cursor, error) {
	if len(key) == 0 {
		return nil, nil
	}
	at, id, _ := strings.Cut(key.str("ls"), "#")
	n, err := strconv.ParseInt(at, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("dynamodb: a list ended at a strange place: %w", err)
	}
	return &task.Cursor{At: time.UnixMilli(n).UTC(), ID: id}, nil
}
