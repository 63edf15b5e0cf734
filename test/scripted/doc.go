// Package scripted is a server of the scripted agent in memory, with the worker that plays its turns:
// what tests of bindings serve.
package scripted
