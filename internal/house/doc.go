// Package house holds the order of this repository by tests: which package may
// import which, what the core may depend on, and how big a file may grow.
package house
