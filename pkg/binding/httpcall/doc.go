// Package httpcall is what the HTTP bindings have in common: who a request is from and what its
// headers say of a call, how much of a body is read, and which media types it may have.
package httpcall
