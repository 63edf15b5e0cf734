package a2a

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
)

// ContentHash is the hex SHA-256 of a message's content: of its JSON with sorted keys and
// numbers as written, without messageId, contextId and taskId. Two messages of one hash say the
// same. It is empty for a message that [Marshal] refuses, which no decoded one is.
func ContentHash(m Message) string {
	m.MessageID, m.ContextID, m.TaskID = "", "", ""
	written, err := Marshal(m)
	if err != nil {
		return ""
	}
	// Reading it as plain values normalises the escapes of strings, and writing those sorts.
	var content any
	dec := json.NewDecoder(bytes.NewReader(written))
	dec.UseNumber()
	if err := dec.Decode(&content); err != nil {
		return ""
	}
	canonical, err := Marshal(content)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:])
}
