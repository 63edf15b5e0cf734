// Package interaction is the A2A extension interactions/v1: the open approval, question or
// connection request of a paused task, and the caller's answer on the same task.
//
// The agent raises an [Interaction]; [Interaction.Message] makes the status message that carries
// it. A caller answers with a message: [ReadReply] reads what the message says, [Reply.Resolve]
// holds that against the open interaction and yields the [Answer] the agent gets. Both are pure.
//
// Invariants: text and bare data answer questions only, never an approval or a connection
// (INT-11, R-01); an answer addresses an interaction by id, never by position; a value is
// kept as it was written (INT-15); what a caller without the extension sees holds no trace of it
// ([Hide], R-02, R-48).
//
// Failures are A2A errors: a malformed answer is −32602 with the field, an answer to something
// that is not open is −32004 with the open interaction's id and kind.
package interaction
