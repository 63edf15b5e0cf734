// Package template holds template.yaml by tests: the checkers that AWS gives, and what they don't
// know, such as which times belong together and what would cost while nobody calls.
package template
