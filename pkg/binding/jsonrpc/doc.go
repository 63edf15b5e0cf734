// Package jsonrpc is A2A's JSON-RPC 2.0 binding: one path, POST.
//
// Every answer is 200 with a JSON-RPC response, errors included, but for these: 401 to who is not
// authenticated, and 500 where that can't be told, as HTTP+JSON answers them; 405 to other methods than
// POST; 413 to a body of more than 4 MiB.
//
// Where JSON-RPC leaves a choice: a request's id is a string, a number or null, of at most 256
// bytes as written, and comes back as written; a request without one, a notification, is refused
// because every operation of A2A has an answer; so is a batch, which A2A does not know. Both are
// −32600 with the id null; where the params alone are wrong, the id is the request's. A wrong media
// type is −32005, found before the body is parsed.
package jsonrpc
