// Package schema is an oracle for answers: the protocol's proto, as the official Go SDK ships it.
//
// [Check] reads JSON as the proto's own JSON form, which takes no unknown member, and asks for what
// that form leaves open: every member that the proto marks REQUIRED is there, every enum stands by
// its name, and what must have parts has some (SPEC-11). What passes is read into the proto's
// message, so that answers of different bindings can be compared.
package schema
