// Package crash cuts a system of API, workers and recovery at every call to its store and its
// queue, and holds what must be true however it goes on (design principle 2, counterexamples of
// the protocol).
//
// A run of the world plays one scenario in virtual time: a caller sends a message, answers what
// the task asks, and retries what fails. Cuts name calls by their number, counted over all
// processes; at one the process ends, or the call's answer is lost, or the process stands still
// until its lease is long over and goes on as if nothing had happened, before or after the call
// took effect. Messages may come twice. A dead process is replaced, recovery runs every minute.
//
// Scenarios are scripts, which the test agent plays, and loops: the agent of pkg/harness, for each
// class of calls, with held and free calls side by side, a question and a denial. In some loops
// every poke and every answer comes twice, or approvals expire, or two tasks of one context end at
// the same time; a caller cancels or answers just before any call of anybody.
//
// make test plays a sample, about a thousand schedules of the loops; CRASH=all every cut, every
// pair of cuts (a sample of pairs where something else happens too), and every cut under each cancel
// and answer (on SQLite a sample of them). Each run ends with how many distinct schedules it played.
//
// The worlds run on memory and SQLite in virtual time, and on DynamoDB and SQS as emulated in real
// time, many at once.
//
// After each run the invariants of invariants_test.go are checked. Mutants of mutants_test.go show
// that the suite fails without the fence, the deadline rule, the revision check, seen answers and
// recovery.
package crash
