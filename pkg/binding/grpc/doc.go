// Package grpc is A2A's gRPC binding: the service lf.a2a.v1.A2AService over the same server as every
// other binding (GRPC-01).
//
// A message of the protocol goes through its JSON form, as the protocol defines it, so that requests
// are read by the same rules as those of the other bindings, and answers are written by the same
// code. Who is calling, the version, extensions and an idempotency key are in the metadata, under the
// names of the HTTP headers in lower case; the tenant is in the message (GRPC-04). Errors are statuses
// with an ErrorInfo, and a BadRequest where fields are bad (GRPC-03).
//
// A request is weighed on the wire before room is made for it; one that cannot be read, or is beyond
// the bounds, is the caller's fault (INVALID_ARGUMENT), as one of bad fields is.
//
// It is served by a program of its own (infra/grpc, infra/local): no Lambda links it.
package grpc
