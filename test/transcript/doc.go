// Package transcript plays one script of calls, drawn from a seed, by each binding against a system
// of its own, and compares what the callers saw: the same results, events, errors and activations
// (SPEC-16, ERR-01 to ERR-04).
//
// A script names tasks, open interactions and page tokens by their place in the transcript. Answers
// are compared with their ids replaced by their place and their timestamps blanked; those of the two
// HTTP bindings as they are, and gRPC's as the proto has them. Each answer is checked against the
// proto on its own (test/schema), and for the interactions extension's URI, which no caller sees
// that did not activate it (INT-10, SPEC-02). Time is that of a bubble.
package transcript
