package task

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
)

// crockford spells ids in lower-case letters and digits that can't be mistaken for each other.
var crockford = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

const idBytes = 16 // 128 bits, 26 characters

// NewID is a random id of 128 bits, for leases, writes, messages and births.
func NewID() string {
	var b [idBytes]byte
	rand.Read(b[:]) // never fails
	return crockford.EncodeToString(b[:])
}

// NewTaskID is a random task id. Nothing is to be read out of it.
func NewTaskID() string { return "t1." + NewID() }

// DerivedTaskID is the task id of an idempotency key: an HMAC under a secret of the
// deployment, so that nobody can tell or make another's.
func DerivedTaskID(secret []byte, s Scope, idempotencyKey string) string {
	m := hmac.New(sha256.New, secret)
	writeFields(m, s.Tenant, s.Owner, idempotencyKey)
	return "t1." + crockford.EncodeToString(m.Sum(nil)[:idBytes])
}

// EffectID is the id of the index-th effect of a run's step (INT-04). It is the same whoever
// computes it, and differs between two tasks of one id.
func EffectID(r *Record, step, index int) string {
	h := sha256.New()
	writeFields(h, r.ID, r.Born)
	var n [16]byte
	binary.BigEndian.PutUint64(n[:8], uint64(step))
	binary.BigEndian.PutUint64(n[8:], uint64(index))
	h.Write(n[:])
	return "eff_" + crockford.EncodeToString(h.Sum(nil)[:idBytes])
}

// writeFields writes strings so that no two lists look the same.
func writeFields(w interface{ Write([]byte) (int, error) }, fields ...string) {
	for _, f := range fields {
		w.Write(binary.BigEndian.AppendUint64(nil, uint64(len(f))))
		w.Write([]byte(f))
	}
}
