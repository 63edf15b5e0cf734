// Package agenttest is a scripted agent: the instrument of all suites, and what runs until an
// agent of one's own takes its place.
//
// The first text of the message that starts a task is the script, statements parted by ";":
//
//	say <text>                        status text
//	approve <server>/<tool> [reason]  holds a call for a person; approved, makes it
//	ask <question>                    asks the caller
//	connect <app>: <reason>           asks for an app to be connected
//	piece <text>                      one artifact, a word a piece
//	artifact text|data|raw|url <…>    one artifact: text, JSON, base64, an address
//	message <text>                    answers with a bare message
//	sleep <duration>                  works for so long, such as 1.5s
//	fail <text>, reject <text>        ends the task
//	crash                             loses the slice, once
//
// approve, ask and connect joined by " & " are raised together. The agent goes on after each
// answer and says what it was; text that is no statement is echoed as an artifact.
//
// Each statement is one journaled step, so the script goes on where it was after a crash, and a
// call is made once: intent before it, outcome with the step.
package agenttest
