// Package lambda turns the events of AWS Lambda into calls of what serves everywhere else: those of
// an API Gateway REST API into calls of an http.Handler, messages of SQS into deliveries of a
// queue, and a schedule into calls of a function.
//
// A reply is streamed, piece by piece as its handler makes it, or buffered where the platform only
// buffers; a handler sees no difference but in time. What panics fails its own call or record, and
// never the process, which serves others.
//
// A function's main reads its settings with [ReadConfig], wires its handler, and gives it to
// aws-lambda-go's Start.
package lambda
