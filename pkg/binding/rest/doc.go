// Package rest is A2A's HTTP+JSON binding: a route an operation.
//
// A request's parameters are its path's ids, and the members of its body (POST) or its query
// parameters (GET, DELETE). Together they are the operation's parameters as JSON has them, and are
// read by the same rules as those of any other binding. Errors are google.rpc.Status (SPEC-13).
//
// Bodies are application/json or application/a2a+json. Answers are application/json, unless the
// caller names only the other in Accept, or names none and sent its request so. Who accepts neither is
// told so (406); a body of another type, or compressed, is refused (415).
package rest
