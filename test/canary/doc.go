// Package canary looks for what must be told nowhere: the arguments of a held call, which stand in
// the journal alone, and the tokens of tools, which stand in nothing that is written.
package canary
