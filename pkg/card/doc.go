// Package card builds the card that an agent publishes about itself.
//
// The operator supplies the content; [Build] adds what only the deployment knows: where the agent
// is reached, by which bindings, and what it is capable of. It checks the whole and encodes it
// once, so that what is served, hashed and signed are the same bytes. pkg/binding serves it;
// pkg/server takes from it what the agent accepts.
package card
