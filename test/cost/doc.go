// Package cost holds what each operation costs on AWS: its calls, the units that DynamoDB bills and
// the requests of SQS, metered on emulated AWS against the table in operations.go. make bench
// prints them with their list prices, for a few tasks and for many: the cost of an operation does
// not depend on how many there are.
package cost
