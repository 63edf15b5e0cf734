// Package peers tests the running system with A2A clients that others wrote: the
// JavaScript and the Python SDK, on both HTTP bindings. make test provides their
// interpreters and packages.
package peers
