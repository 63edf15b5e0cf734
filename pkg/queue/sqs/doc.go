// Package sqs is the queue on Amazon SQS: a standard queue with a redrive policy.
//
// pkg/server, pkg/turn and recovery send through it. In AWS the event source mapping receives and
// deletes, and hands bodies to pkg/lambda, which reads them with [Parse]; the worker extends its
// message. Outside AWS functions, [queue.Run] receives and deletes through it.
//
// Each method is one call, but that the SDK tries again what failed: a repeated send is a repeated
// poke, which does no harm. A receive polls again for as long as it found nothing.
//
// Groups are message group ids, for which a standard queue is fair: a group with many messages in
// flight waits behind those with few. The id is a hash, so that any tenant or owner makes one and
// nobody's name is in what SQS logs.
//
// What is no poke is never handed on or deleted. It comes back until it is a dead letter, where
// people look.
package sqs
