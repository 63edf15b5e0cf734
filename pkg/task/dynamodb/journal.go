package dynamodb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/task"
)

const (
	// maxRows is how many journal rows of a transaction get items of their own. More go into
	// batches.
	maxRows = 64

	// maxName is how many bytes a row's name may have: a sort key takes 1,024.
	maxName = 1000
)

// newest are rows by name, the last of each.
func newest(rows []task.Row) ([]task.Row, error) {
	all := map[string][]byte{}
	for _, r := range rows {
		if len(r.Name) == 0 || len(r.Name) > maxName || !utf8.ValidString(r.Name) {
			return nil, fmt.Errorf("dynamodb: a journal row's name must be 1 to %d bytes of UTF-8", maxName)
		}
		all[r.Name] = r.Value
	}
	return byName(all), nil
}

func byName(all map[string][]byte) []task.Row {
	var rows []task.Row
	for _, name := range slices.Sorted(maps.Keys(all)) {
		rows = append(rows, task.Row{Name: name, Value: all[name]})
	}
	return rows
}

// splitRows says which rows stand in the header, and which get items of their own: all that the
// header holds too, once it has to be relieved.
func (w *write) splitRows() (inline, rows []task.Row) {
	if w.met != nil {
		all := w.met.rows()
		for _, r := range w.rows {
			all[r.Name] = r.Value
		}
		return nil, byName(all)
	}
	size := 0
	for _, r := range w.rows {
		size += len(r.Name) + len(r.Value)
	}
	if size > maxInline {
		return nil, w.rows
	}
	return w.rows, nil
}

// inlineRows is the header's part: rows that it takes, and those that leave it.
func (w *write) inlineRows(e *expression, inline, rows []task.Row) {
	if w.met != nil {
		e.assign(item{"rows": &types.AttributeValueMemberM{Value: item{}}, "rowsSize": num(0)})
	}
	size := 0
	for n, r := range inline {
		p := fmt.Sprintf("#row%d", n)
		e.names[p] = r.Name
		e.set = append(e.set, e.name("rows")+"."+p+" = "+e.value(bin(r.Value)))
		size += len(r.Name) + len(r.Value)
	}
	if size > 0 {
		e.where("rowsSize", "<=", num(uint64(maxInline-size)))
		e.add("rowsSize", uint64(size))
	}
	if len(rows) == 0 {
		return
	}
	kind := "spilled"
	if len(rows) > maxRows {
		kind = "batched"
	}
	e.assign(item{kind: &types.AttributeValueMemberBOOL{Value: true}})
	for n, r := range rows {
		if w.met != nil {
			break // the header's rows go as a whole
		}
		p := fmt.Sprintf("#row%d", n)
		e.names[p] = r.Name
		e.remove = append(e.remove, e.name("rows")+"."+p)
	}
}

// rows are the journal rows that stand in a header.
func (i item) rows() map[string][]byte {
	out := map[string][]byte{}
	if m, ok := i["rows"].(*types.AttributeValueMemberM); ok {
		for name, v := range m.Value {
			if b, ok := v.(*types.AttributeValueMemberB); ok {
				out[name] = b.Value
			}
		}
	}
	return out
}

// journalPuts are the items of journal rows: one each, or one for all where they are many.
func (s *Store) journalPuts(ctx context.Context, w *write, rows []task.Row, limit int) ([]item, error) {
	if len(rows) > maxRows {
		all, err := json.Marshal(rows)
		if err != nil {
			return nil, fmt.Errorf("dynamodb: encode journal rows: %w", err)
		}
		put, err := s.journalPut(ctx, w, journalBatch(w.c.Next.Revision), all, limit)
		return []item{put}, err
	}
	var puts []item
	for _, r := range rows {
		put, err := s.journalPut(ctx, w, journalRow(r.Name), r.Value, limit)
		if err != nil {
			return nil, err
		}
		puts = append(puts, put)
	}
	return puts, nil
}

func (s *Store) journalPut(ctx context.Context, w *write, row string, value []byte, limit int) (item, error) {
	pk := journalPartition(w.k)
	b, err := s.store(ctx, pk, apart, task.NewID(), value, limit)
	return item{
		"pk": str(pk), "sk": str(row), "born": str(w.c.Next.Born), "rev": num(w.c.Next.Revision), "body": b.value(),
	}, err
}

// Journal implements [task.Store]: one read where the header holds all rows, else also a query of
// the rows that have left it, and one for each of them that is too big for an item.
func (s *Store) Journal(ctx context.Context, k task.Key, prefix string) iter.Seq2[task.Row, error] {
	return func(yield func(task.Row, error) bool) {
		rows, err := s.journal(ctx, k, prefix)
		if err != nil {
			yield(task.Row{}, err)
			return
		}
		for _, name := range slices.Sorted(maps.Keys(rows)) {
			if strings.HasPrefix(name, prefix) && !yield(task.Row{Name: name, Value: rows[name]}, nil) {
				return
			}
		}
	}
}

// journalTries is how often a journal is read that changes while it is.
const journalTries = 5

// errMoved says that rows left the header at each of them.
var errMoved = errors.New("dynamodb: a journal changed too often while it was read")

// journal reads the rows under a prefix, and maybe more.
func (s *Store) journal(ctx context.Context, k task.Key, prefix string) (map[string][]byte, error) {
	for range journalTries {
		head, err := s.get(ctx, taskPartition(k), header, "rows", "spilled", "batched", "rev", "born")
		if err != nil || len(head) == 0 {
			return nil, err
		}
		rows, moved, err := s.movedRows(ctx, k, prefix, head)
		if err != nil {
			return nil, err
		}
		if !moved {
			maps.Copy(rows, head.rows()) // the header's are the newest
			return rows, nil
		}
	}
	return nil, errMoved
}

// movedRows are the rows that have left the header. moved: some left it since it was read.
func (s *Store) movedRows(ctx context.Context, k task.Key, prefix string, head item) (rows map[string][]byte, moved bool, err error) {
	rows = map[string][]byte{}
	revisions := map[string]uint64{}
	pk := journalPartition(k)
	for _, group := range []struct{ flag, begins string }{{"spilled", journalRow(prefix)}, {"batched", journalBatches}} {
		if !head.has(group.flag) {
			continue
		}
		items, at, err := s.query(ctx, pk, beginsWith(group.begins))
		if err != nil {
			return nil, false, err
		}
		for _, i := range items {
			rev := i.num("rev")
			if i.str("born") != head.str("born") {
				continue
			}
			if rev > head.num("rev") {
				return nil, true, nil
			}
			found, err := s.rowsOf(ctx, pk, i, at)
			if err != nil {
				return nil, false, err
			}
			for _, r := range found {
				if rev >= revisions[r.Name] {
					rows[r.Name], revisions[r.Name] = r.Value, rev
				}
			}
		}
	}
	return rows, false, nil
}

// rowsOf are the journal rows of one item.
func (s *Store) rowsOf(ctx context.Context, pk string, i item, at parts) ([]task.Row, error) {
	sk := i.str("sk")
	b, err := bodyOf(i["body"])
	if err != nil {
		return nil, err
	}
	value, err := s.load(ctx, pk, apart, b, at)
	if err != nil {
		return nil, err
	}
	if name, one := strings.CutPrefix(sk, journalRow("")); one {
		return []task.Row{{Name: name, Value: value}}, nil
	}
	var rows []task.Row
	if err := json.Unmarshal(value, &rows); err != nil {
		return nil, fmt.Errorf("dynamodb: read journal rows: %w", err)
	}
	return rows, nil
}
