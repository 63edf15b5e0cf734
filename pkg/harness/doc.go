// Package harness is the agent that an AGENT.md describes: a loop of model calls and tool calls
// under a policy, kept in a ledger so that a crash anywhere repeats no effect and a person's word
// counts for just the call it was given on.
//
// The worker (pkg/turn) calls it for one slice at a time. It reads its ledger, which is the run's
// journal, and goes on from there; it keeps nothing else. A turn is a row of steps. A step is one
// model call, whose whole message is written together with a row for each call that it wants: the
// plan. From then on a call's arguments are frozen: what a person approves, and what is sent, is
// that row, by its hash. The policy decides once, at the plan; allowed calls run side by side,
// held ones wait for a person, and the model is asked again when every call has its result, in the
// message's order.
//
// Invariants
//
//   - A call goes out only when its effect's state in the record says approved, and after its
//     intent is committed; a read needs no intent. No other code sends anything.
//   - A result is written before the model call that sees it, and the model never sees a call
//     without one.
//   - Answers are found by interaction id. Text never reaches the ledger as an answer.
//   - A turn keeps the definition, the model and the tools that it began with, whatever is deployed
//     while it waits.
//
// Failures. What surely did nothing is tried again, or asks for a connection if the server wants
// another token; what may have done something is sent again only if its class allows, else a
// person is asked. A model call that fails in passing is tried again, three times a step,
// each attempt counted in the ledger. A model that names no tool, or sends arguments that are not
// what the tool takes, is told so. Whatever else fails ends the slice with an error: the worker
// tries again, a few times.
package harness
