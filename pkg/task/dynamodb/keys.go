package dynamodb

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Partitions. The tenant leads each, so that policies can hold a caller to its own.
func taskPartition(k task.Key) string    { return scope(k.Scope, "T") + "#" + k.ID }
func journalPartition(k task.Key) string { return scope(k.Scope, "J") + "#" + k.ID }
func textPartition(k task.Key) string    { return scope(k.Scope, "L") + "#" + k.ID }

func conversationPartition(s task.Scope, contextID string) string {
	return scope(s, "C") + "#" + hash(contextID)
}

func scope(s task.Scope, kind string) string {
	return tenant(s.Tenant) + "#" + kind + "#" + hash(s.Owner)
}

// escape keeps tenants apart from what stands around them, and from none.
var (
	escape   = strings.NewReplacer("%", "%25", "#", "%23", "-", "%2D")
	unescape = strings.NewReplacer("%2D", "-", "%23", "#", "%25", "%")
)

// tenant is how keys begin: an id as it is, but for what no valid id has.
func tenant(id string) string {
	switch {
	case id == "":
		return "-"
	case strings.HasPrefix(id, "-"):
		return escape.Replace(id)
	}
	return strings.NewReplacer("%", "%25", "#", "%23").Replace(id)
}

// keyOf is the task of a partition whose owner is known.
func keyOf(partition, owner string) (task.Key, error) {
	parts := strings.SplitN(partition, "#", 4)
	if len(parts) != 4 {
		return task.Key{}, errors.New("dynamodb: a task's partition has a strange key")
	}
	k := task.Key{Scope: task.Scope{Owner: owner}, ID: parts[3]}
	if parts[0] != "-" {
		k.Tenant = unescape.Replace(parts[0])
	}
	return k, nil
}

// hash stands for what may be long or hold anything.
func hash(s string) string {
	sum := sha256.Sum256([]byte(s))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Sort keys. The header sorts behind all events, so that a descending query meets it first.
const header = "Z"

// eventsUpTo names the row whose last event has a number. born keeps the rows of a task apart from
// those of one that had its id before.
func eventsUpTo(last uint64, born string) string { return eventsFrom(last) + "#" + born }

// eventsFrom is before the rows that hold events of a number and above, and behind all others.
func eventsFrom(seq uint64) string { return fmt.Sprintf("E#%020d", seq) }

func journalRow(name string) string { return "J#" + name }

func journalBatch(revision uint64) string { return journalBatches + fmt.Sprintf("%020d", revision) }

const journalBatches = "K#"

// textRow orders the pieces of live text.
func textRow(m task.TextMark) string {
	return textRows(m.Fence) + fmt.Sprintf("%06d#%06d", m.Attempt, m.Piece)
}

// textRows begins the pieces of a run.
func textRows(fence uint64) string { return fmt.Sprintf("%020d#", fence) }

func turnRow(version uint64) string { return turns + fmt.Sprintf("%020d", version) }

const turns = "M#"

// apart begins the keys of parts that no query of rows comes across: the parts of what was
// replaced stay until the task expires.
const apart = "B"

func partRow(under, tag string, n int) string { return fmt.Sprintf("%s%04d", partRows(under, tag), n) }

func partRows(under, tag string) string { return under + "#" + tag + "#" }

// Keys of indexes.
func ownerKey(s task.Scope) string { return tenant(s.Tenant) + "#" + hash(s.Owner) }

func contextKey(s task.Scope, contextID string) string { return ownerKey(s) + "#" + hash(contextID) }

// place orders tasks by status time and id.
func place(at time.Time, id string) string { return moment(at.UnixMilli()) + "#" + id }

// moment is a time in milliseconds so that it sorts.
func moment(ms int64) string { return fmt.Sprintf("%014d", max(ms, 0)) }

// lastPlace is behind every task.
const lastPlace = "~"

// shards spread the tasks that recovery watches: one partition takes 1,000 writes a second.
const shards = 4

func shard(n int) string { return fmt.Sprintf("live#%d", n) }

func shardOf(id string) string {
	h := fnv.New32a()
	h.Write([]byte(id))
	return shard(int(h.Sum32() % shards))
}
