// Package bench measures an echo SendMessage through the JSON-RPC binding, on memory and on
// SQLite, beside the same agent on the server of a2a-go in the same run.
package bench
