package dynamodb

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// item is an item of the table, or a part of one.
type item map[string]types.AttributeValue

func str(s string) types.AttributeValue { return &types.AttributeValueMemberS{Value: s} }
func bin(b []byte) types.AttributeValue {
	return &types.AttributeValueMemberB{Value: append([]byte{}, b...)} // nil is no binary
}
func num(n uint64) types.AttributeValue {
	return &types.AttributeValueMemberN{Value: strconv.FormatUint(n, 10)}
}
func ms(t time.Time) types.AttributeValue { return num(uint64(t.UnixMilli())) }

func strs(all []string) types.AttributeValue {
	out := make([]types.AttributeValue, len(all))
	for i, s := range all {
		out[i] = str(s)
	}
	return &types.AttributeValueMemberL{Value: out}
}

func (i item) str(name string) string {
	v, _ := i[name].(*types.AttributeValueMemberS)
	if v == nil {
		return ""
	}
	return v.Value
}

func (i item) bin(name string) []byte {
	v, _ := i[name].(*types.AttributeValueMemberB)
	if v == nil {
		return nil
	}
	return v.Value
}

func (i item) list(name string) []types.AttributeValue {
	v, _ := i[name].(*types.AttributeValueMemberL)
	if v == nil {
		return nil
	}
	return v.Value
}

func (i item) num(name string) uint64 {
	v, _ := i[name].(*types.AttributeValueMemberN)
	if v == nil {
		return 0
	}
	n, _ := strconv.ParseUint(v.Value, 10, 64) // as num wrote it
	return n
}

func (i item) has(name string) bool { return i[name] != nil }

func (i item) time(name string) time.Time {
	if !i.has(name) {
		return time.Time{}
	}
	return time.UnixMilli(int64(i.num(name))).UTC()
}

// rest is what of a record no claim changes: one attribute, doc.
type rest struct {
	Request   string                    `json:"request"`
	Run       task.Run                  `json:"run"`
	Pending   []interaction.Interaction `json:"pending,omitempty"`
	Expires   time.Time                 `json:"expires,omitzero"`
	Seen      map[string]task.Seen      `json:"seen,omitempty"`
	Effects   map[string]task.Effect    `json:"effects,omitempty"`
	Hops      int                       `json:"hops,omitempty"`
	Shown     bool                      `json:"shown,omitempty"`
	Bare      bool                      `json:"bare,omitempty"`
	CreatedAt time.Time                 `json:"createdAt"`
}

// revisioned are the attributes that r has by its revision: all but the lease's end, pushed and
// wake. An attribute that is nil is to be removed.
func revisioned(r *task.Record) (item, error) {
	status, err := a2a.Marshal(r.Status)
	if err != nil {
		return nil, fmt.Errorf("dynamodb: encode a status: %w", err)
	}
	doc, err := a2a.Marshal(rest{
		Request: r.Request, Run: r.Run, Pending: r.Pending, Expires: r.Expires, Seen: r.Seen, Effects: r.Effects,
		Hops: r.Hops, Shown: r.Shown, Bare: r.Bare, CreatedAt: r.CreatedAt,
	})
	if err != nil {
		return nil, fmt.Errorf("dynamodb: encode a record: %w", err)
	}
	i := item{
		"rev": num(r.Revision), "fence": num(r.Fence), "attempts": num(uint64(r.Attempts)),
		"writes": strs(r.Writes), "updated": ms(r.UpdatedAt),
		"state": str(string(r.Status.State)), "status": bin(status),
		"events": num(r.Events), "lastStatus": num(r.LastStatus), "born": str(r.Born), "doc": bin(doc),
		"lo": str(ownerKey(r.Scope)), "lc": str(contextKey(r.Scope, r.ContextID)),
		"ls":    str(place(r.Status.Timestamp, r.ID)),
		"lease": nil, "replica": nil, "until": nil,
	}
	if r.Lease != nil {
		i["lease"], i["replica"], i["until"] = str(r.Lease.ID), str(r.Lease.Replica), ms(r.Lease.Until)
	}
	if r.Bare {
		i["lo"], i["lc"] = nil, nil
	}
	return i, nil
}

// setPushed and setWake are the attributes of what no revision guards.
func setPushed(i item, pushed *uint64) {
	i["pushed"] = nil
	if pushed != nil {
		i["pushed"] = num(*pushed)
	}
}

func setWake(i item, id string, wake time.Time) {
	i["wake"], i["lw"] = nil, nil
	if !wake.IsZero() {
		i["wake"], i["lw"] = ms(wake), str(shardOf(id))
	}
}

// record is the record of a header.
func (i item) record() (*task.Record, error) {
	k, err := keyOf(i.str("pk"), i.str("owner"))
	if err != nil {
		return nil, err
	}
	var d rest
	if err := json.Unmarshal(i.bin("doc"), &d); err != nil {
		return nil, fmt.Errorf("dynamodb: read a record: %w", err)
	}
	r := &task.Record{
		Key: k, ContextID: i.str("contextId"), Born: i.str("born"), Request: d.Request,
		Revision: i.num("rev"), Fence: i.num("fence"),
		Run: d.Run, Pending: d.Pending, Expires: d.Expires, Seen: d.Seen, Effects: d.Effects,
		Events: i.num("events"), LastStatus: i.num("lastStatus"),
		Attempts: int(i.num("attempts")), Hops: d.Hops, Wake: i.time("wake"),
		Shown: d.Shown, Bare: d.Bare, CreatedAt: d.CreatedAt, UpdatedAt: i.time("updated"),
	}
	if err := json.Unmarshal(i.bin("status"), &r.Status); err != nil {
		return nil, fmt.Errorf("dynamodb: read a status: %w", err)
	}
	if i.has("lease") {
		r.Lease = &task.Lease{ID: i.str("lease"), Replica: i.str("replica"), Until: i.time("until")}
	}
	for _, w := range i.list("writes") {
		if w, ok := w.(*types.AttributeValueMemberS); ok {
			r.Writes = append(r.Writes, w.Value)
		}
	}
	if i.has("pushed") {
		r.Pushed = new(i.num("pushed"))
	}
	return r, nil
}
