// Package loss runs the system over a network that loses answers: DynamoDB does what it is asked,
// and one answer in a hundred never arrives. Whoever asked must find out by itself that its write
// took effect: no call may fail for it, and nothing may be done twice or forgotten.
package loss
