package dynamodb

import (
	"context"
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// What stands in the header, in bytes. AWS bills the whole of it with each write, by the started
// kilobyte: with an ordinary record of 1–2 KB these keep it below 6 KB, while a task of some
// events never needs a transaction, which costs twice.
const (
	maxTail   = 3 << 10 // newest events
	maxInline = 1 << 10 // journal rows, names included
)

// Commit implements [task.Store]: one update while the header has room, else one transaction. What
// a transaction moves out of the header it has to know: a refusal by a full header brings that
// along. For content that fits no header, or needs parts, the header is read first, so that no
// part is written twice or for a run that is lost already.
func (s *Store) Commit(ctx context.Context, k task.Key, c *task.Change) (*task.Record, error) {
	w, err := newWrite(k, c)
	if err != nil {
		return nil, err
	}
	if total(w.events) > maxTail || len(w.rows) > maxRows || w.size(w.rows) > maxBody {
		met, err := s.get(ctx, taskPartition(k), header)
		if err != nil {
			return nil, err
		}
		if err := w.meet(met); err != nil {
			return nil, err
		}
	}
	for {
		r, err := s.write(ctx, w)
		var failed *headerMet
		if !errors.As(err, &failed) {
			return r, err
		}
		again := w.met == nil
		if err := w.meet(failed.item); err != nil {
			return nil, err
		}
		if !again {
			return nil, errors.New("dynamodb: the header refuses a change that it admits")
		}
	}
}

// headerMet says that the header's condition failed, and with which item.
type headerMet struct{ item item }

func (*headerMet) Error() string { return "dynamodb: the header's condition failed" }

// write is a commit on its way.
type write struct {
	k      task.Key
	c      *task.Change
	events [][]byte
	rows   []task.Row // by name, each once
	turn   []byte
	met    item // the header, once it has to be relieved of its tail and rows
}

func newWrite(k task.Key, c *task.Change) (w *write, err error) {
	w = &write{k: k, c: c}
	if w.events, err = encodeEvents(c.Events); err != nil {
		return nil, err
	}
	if w.rows, err = newest(c.Rows); err != nil {
		return nil, err
	}
	if c.Turn != nil {
		w.turn, err = encodeTurn(c.Turn)
	}
	return w, err
}

// meet makes the header known, unless the guard refuses it.
func (w *write) meet(met item) error {
	if len(met) == 0 {
		return &task.Refused{}
	}
	r, err := met.record()
	if err != nil {
		return err
	}
	if !w.c.Guard.Admits(r) {
		return &task.Refused{Current: r}
	}
	w.met = met
	return nil
}

// write makes the transition: by an update if all of it goes into the header.
func (s *Store) write(ctx context.Context, w *write) (*task.Record, error) {
	e, err := w.headerUpdate()
	if err != nil {
		return nil, err
	}
	inline, rows := w.splitRows()
	w.inlineRows(e, inline, rows)
	if w.met == nil && len(rows) == 0 && w.c.Turn == nil {
		return s.writeHeader(ctx, w, e)
	}
	return s.transact(ctx, w, e, rows)
}

// headerUpdate is the header's part: what the change sets, its guard, and the tail.
func (w *write) headerUpdate() (*expression, error) {
	next := &w.c.Next
	changes, err := revisioned(next)
	if err != nil {
		return nil, err
	}
	if next.Lease != nil {
		delete(changes, "until") // a renewal may have moved it
	}
	if w.c.SetPushed {
		setPushed(changes, next.Pushed)
	}
	if w.c.SetWake {
		setWake(changes, w.k.ID, next.Wake)
	}
	e := newExpression()
	e.where("rev", "=", num(w.c.Guard.Revision))
	if w.c.Guard.LeaseID != "" {
		e.where("fence", "=", num(w.c.Guard.Fence))
		e.where("lease", "=", str(w.c.Guard.LeaseID))
	}
	switch {
	case w.met != nil:
		changes["tail"], changes["tailSize"] = &types.AttributeValueMemberL{}, num(0)
	case len(w.events) > 0:
		size := uint64(total(w.events))
		e.where("tailSize", "<=", num(maxTail-size))
		e.append("tail", bins(w.events))
		e.add("tailSize", size)
	}
	e.assign(changes)
	return e, nil
}

func (s *Store) writeHeader(ctx context.Context, w *write, e *expression) (*task.Record, error) {
	var out *dynamodb.UpdateItemOutput
	err := settled(ctx, func() (err error) { out, err = s.db.UpdateItem(ctx, s.update(w.k, e)); return err })
	var failed *types.ConditionalCheckFailedException
	if errors.As(err, &failed) {
		return nil, &headerMet{failed.Item}
	}
	if err != nil {
		return nil, refusal("change a task", err)
	}
	return item(out.Attributes).record()
}
