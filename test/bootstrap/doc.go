// Package bootstrap runs the built functions as Lambda does: bootstraps that ask a Runtime API for
// events, here with emulated DynamoDB and SQS behind them. It kills and stops them, and holds what
// they link, how big they are and, in make bench, how soon they start.
package bootstrap
