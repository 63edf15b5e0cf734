// Package deploy deploys the stack into emulated AWS, as sam deploy would into an account, and
// calls it there as an IAM user.
//
// What the emulation gets wrong is not proved here: it streams nothing, knows no TTL and no
// recursion, and answers unsigned calls without the template's own bodies.
package deploy
