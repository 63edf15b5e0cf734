// Package server is the operations of A2A, as every binding calls them.
//
// A binding authenticates a request ([Server.Authenticate]) and makes a call by method name and
// JSON parameters ([Server.Call]); it encodes the [Outcome]. The server decides by the rules of
// pkg/task and pkg/interaction, writes through the store, pokes the queue, and follows a task
// when a caller waits for it. It knows no binding and runs no agent: workers do (pkg/turn).
//
// Invariants: every access to a task names tenant and owner, so another's is not found; a
// new message is one create with its poke beside it; an answer and a cancel are one conditional
// write, then their poke; what was written decides what is answered, a lost answer of a write
// included; a caller that did not activate the interactions extension never sees it.
//
// Failures: what a caller did wrong is an A2A error that names the field or the state. Anything
// else is −32603 with a reference that the log has together with the cause. A poke that can't be
// sent fails no call: recovery finds the task.
package server
