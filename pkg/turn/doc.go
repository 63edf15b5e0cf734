// Package turn is the worker of one slice of a task's turn: claim, heartbeat, agent, commit, hand
// on.
//
// A pump or the platform hands [Worker.Handle] a delivery of the queue. The worker claims the
// task it names, keeps lease and message alive, calls the agent (pkg/agent) with what the record
// and its journal hold, and commits each step and the outcome by the rules of pkg/task. It lets
// the task go in the same write: a task that waits for a person holds no lease, no message and no
// timer. [Recover] pokes tasks whose message was lost.
//
// Invariants: every write of a run is conditioned on revision, fence and lease; one is in
// flight at a time, and a refused one is repeated as it is or the run stops; a run that lost its
// task stops silently and reports its message not done; calls are made under a context that ends
// before the lease does; pokes follow the write they announce.
//
// Failures: an agent that returns an error or panics has not finished: the lease is left to
// lapse, the message comes back, and after [task.MaxAttempts] claims without progress the task
// fails. What an agent may not do (an unapproved call, an oversized event) fails the task with
// the reason. A store that can't be reached is tried again for a second or two; then the slice ends
// without an outcome, and its message comes back.
package turn
