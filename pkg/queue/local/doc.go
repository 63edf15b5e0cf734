// Package local is the queue inside one process: in memory ([New]), or in an SQLite database as
// well ([Open]), where it outlives the process.
//
// The rules live in memory, in one place, without I/O or a clock of their own (state). A durable
// queue writes each change to its table before it makes it, and reads the table when it opens:
// killing the process at any moment loses nothing that was sent and no attempt that was counted.
//
// It behaves as SQS does where callers can tell: delays and visibility count in whole seconds,
// fractions rounded up; every receive gives a new receipt, and an old one extends and deletes
// nothing; a message received [Options].MaxReceive times and not deleted is a dead letter once its
// visibility ends. Groups take strict turns.
package local
