// Package peers tests the running system with A2A clients that others wrote: the
// JavaScript, the Python and the Go SDK, on all three bindings. make test provides
// the interpreters and packages of the first two.
package peers
