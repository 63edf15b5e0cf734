// Package process runs the built local system as a process of its own, for tests.
package process
