// Package binding mounts a server's HTTP bindings and its card.
//
// The card's URL says where: JSON-RPC is POSTed to the URL itself, the routes of HTTP+JSON stand
// under it (SRV-02), and the card is at its well-known path, both under the origin and under the
// URL (CARD-02, R-52). The URL is a setting, never taken from a request.
package binding
