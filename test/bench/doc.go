// Package bench measures the server beside the same agent on the server of a2a-go in the same run: an
// echo SendMessage through the JSON-RPC binding, the first event of a stream, and 1,000 open streams.
package bench
