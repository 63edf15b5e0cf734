package dynamodb

import (
	"context"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// textLives is how long live text is kept, at least.
const textLives = 10 * time.Minute

// Say implements [task.Store]: one put, under no condition. The run that a task is in by now decides
// what is shown.
func (s *Store) Say(ctx context.Context, k task.Key, t task.Text) error {
	return s.put(ctx, item{
		"pk": str(textPartition(k)), "sk": str(textRow(t.TextMark)), "events": num(t.Events), "artifact": str(t.Artifact), "text": str(t.Text),
		"attempt": num(uint64(t.Attempt)), "piece": num(uint64(t.Piece)), "ttl": num(uint64(s.now().Add(textLives).Unix())),
	})
}

// Said implements [task.Store]: one query.
func (s *Store) Said(ctx context.Context, k task.Key, after task.TextMark) ([]task.Text, error) {
	var all []task.Text
	from := textRow(after) + "~" // behind it
	in := s.spanQuery(textPartition(k), upTo(from, textRows(after.Fence)+"~"), newExpression())
	for i, err := range s.pages(ctx, in) {
		if err != nil {
			return nil, err
		}
		all = append(all, task.Text{
			Events: i.num("events"), Artifact: i.str("artifact"), Text: i.str("text"),
			TextMark: task.TextMark{Fence: after.Fence, Attempt: int(i.num("attempt")), Piece: int(i.num("piece"))},
		})
	}
	return all, nil
}
