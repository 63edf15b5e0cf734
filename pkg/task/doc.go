// Package task is the record of a task, the rules of what may become of it, and the port of the
// stores that keep it.
//
// Who calls what: pkg/server accepts messages ([Accept]), takes answers ([Answer]) and cancels
// ([Cancel]); pkg/turn expires what nobody answered ([Expire]), claims a task for one slice of its turn ([Claim], [Takeover]), commits the
// agent's steps ([Advance], [Intent]) and lets it go ([Pause], [Yield], [Finish]). Each rule is a
// pure function of the record as it was read and a command; it yields a [Change], or the error
// that the caller gets. A [Store] applies a change in one atomic write, or refuses it with the
// record that the write met.
//
// # Protocol
//
// The protocol was explored by exhaustive search with crashes, stalls, lost and repeated messages
// and lost answers of writes; each condition is there because a shorter one failed. "Ours" means
// the revision, fence and lease id as the run holds them.
//
//	operation       condition                        what changes                                on refusal
//	create          no such item                     SUBMITTED, born, wake                       born ours, or same content under a key: success; else −32602
//	claim           live; no lease, or it ended      fence, lease, attempts+1, wake; SUBMITTED   lease id ours: go on; live lease: later;
//	                more than 2 s ago                becomes WORKING                             not live: drain, done
//	renew           fence, lease id                  the lease's end                             run lost
//	step            ours                             rows, events, effects; attempts=0 unless    rule 2
//	                                                 it only takes back what was sent
//	intent          ours; effect approved            effect sent, by this fence                  rule 2
//	pause, finish   ours                             state, interactions, lease removed, wake    rule 2
//	yield           ours                             lease removed, hops+1, attempts=0, wake     rule 2
//	answer          revision; interaction open       WORKING, effect decided, seen, attempts=0,  in seen: same reply; still open: again;
//	                                                 hops=0, wake                                else −32004
//	expire          revision; interaction open, and  as a denying answer, without seen           open no more: done; else again
//	                its time is up
//	cancel          revision; not terminal           CANCELED, fence, lease and pending removed  CANCELED: success; terminal: −32002; else again
//	start pushes    revision                         pushed = last status                        again
//	mark            pushed < n                       pushed; wake removed if nothing is left     nothing
//	recover         wake as read                     wake                                        skip
//
// The rules:
//
//  1. Deciding. Decide from the item the write returned, old or new, never from a second read. An
//     answer is looked up in Seen before the state is checked, and keeps the interaction it first
//     read.
//  2. Refused write of a run: [Resolve]. A run has one revisioned write in flight at a time, and
//     repeats the same transition, never plans anew.
//  3. A lost run stops silently: no outcome, no push, and its message is reported not done.
//  4. Calls. Intent, call, outcome. A call starts only if the wall clock is before the lease's end
//     less [CallMargin], checked immediately before; its context ends at that moment unless the
//     lease is renewed.
//  5. Takeover. A call sent by an earlier run is sent again by itself only if its class is read or
//     idempotent; of a write a person is asked, under a new interaction id.
//  6. Poison: [Record.Poison], before the agent is touched.
//  7. Pokes follow the write they announce; only create's goes beside it. A poke's message is done
//     only when the record needs nothing more from it.
//  8. Pushes are sent by workers only: all owed statuses, oldest first, stopping at the first
//     failure, then mark. A drain older than two minutes is abandoned, unmarked.
//  9. Recovery goes through what is due, skips live leases, and moves wake before it pokes. A task
//     that waits for a person is due when its interaction expires; the worker that is poked expires it.
//  10. Readers read the record first, then events up to its counter, contiguous numbers only.
//  11. Completion adds the turn to the conversation in one write with the state. If only the
//     conversation's version was stale, the run repeats with the new one, result in hand.
//  12. Keys: a task made under an idempotency key answers to it while it exists.
//
// What holds: a write call goes out at most once more than a person consented to; after a denial
// commits it never starts; after a cancel commits no intent commits. Assumed: clock difference
// plus any pause between rule 4's check and the call is below 4 s; one writing region.
package task
