// Package a2a is the vocabulary of A2A 1.0: its types, states, errors and versions, and their JSON.
//
// Encoding is encoding/json's with [Marshal]. Decoding has two doors. [DecodeRequest] reads what a
// caller sent and holds it to the protocol's rules, naming every bad field. Unmarshaling reads what
// an agent or a store wrote, and refuses only what cannot be understood.
//
// Both read what ProtoJSON, A2A's JSON, reads, with these differences: an object that has a name
// twice is refused wherever it stands, so is nesting beyond [MaxDepth], and so are enum values that
// the protocol does not know; numbers in data and metadata are kept as written, whatever their
// size; an integer that is not in plain digits has at most sixteen characters.
package a2a
