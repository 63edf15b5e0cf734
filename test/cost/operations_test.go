package cost

// operation is one thing that callers or the platform do, and what it may cost.
type operation struct {
	name  string
	wru   float64 // of DynamoDB, at most
	rru   float64
	calls map[string]int // exactly
	first func(b *bed)   // what comes before it
	run   func(b *bed)   // what is metered
}

const (
	put      = "DynamoDB.PutItem"
	update   = "DynamoDB.UpdateItem"
	transact = "DynamoDB.TransactWriteItems"
	query    = "DynamoDB.Query"
	get      = "DynamoDB.GetItem"
	send     = "SQS.SendMessage"
	extend   = "SQS.ChangeMessageVisibility"
)

// script asks for one approval, makes the call and completes with an artifact.
const script = "approve github/create_pull_request; artifact text The pull request is open."

// operations are those whose cost is promised. Answers and sends return immediately; nobody else
// writes to their tasks at the same time.
var operations = []operation{
	{
		name: "message, new task",
		wru:  5, rru: 0,
		calls: map[string]int{put: 1, send: 1},
		run:   func(b *bed) { b.send(script) },
	},
	{
		name: "slice that pauses for a person",
		wru:  16, rru: 3,
		calls: map[string]int{update: 2, query: 2, get: 1, extend: 1},
		first: func(b *bed) { b.send(script) },
		run:   func(b *bed) { b.slice() },
	},
	{
		name: "get a paused task",
		wru:  0, rru: 1,
		calls: map[string]int{query: 1},
		first: func(b *bed) { b.send(script); b.slice() },
		run:   func(b *bed) { b.get() },
	},
	{
		name: "text refused",
		wru:  0, rru: 1,
		calls: map[string]int{query: 1},
		first: func(b *bed) { b.send(script); b.slice() },
		run:   func(b *bed) { b.sayYes() },
	},
	{
		name: "answer",
		wru:  9, rru: 1,
		calls: map[string]int{query: 1, update: 1, send: 1},
		first: func(b *bed) { b.send(script); b.slice() },
		run:   func(b *bed) { b.answer() },
	},
	{
		name: "answer, repeated",
		wru:  0, rru: 1,
		calls: map[string]int{query: 1, send: 1},
		first: func(b *bed) { b.send(script); b.slice(); b.answer() },
		run:   func(b *bed) { b.answer() },
	},
	{
		name: "slice that makes the call and completes",
		wru:  41, rru: 3,
		calls: map[string]int{update: 5, transact: 1, query: 1, get: 2, extend: 1},
		first: func(b *bed) { b.send(script); b.slice(); b.answer() },
		run:   func(b *bed) { b.slice() },
	},
	{
		name: "get a completed task",
		wru:  0, rru: 1,
		calls: map[string]int{query: 1},
		first: func(b *bed) { b.send(script); b.slice(); b.answer(); b.slice() },
		run:   func(b *bed) { b.get() },
	},
	{
		name: "cancel a paused task",
		wru:  7, rru: 1,
		calls: map[string]int{query: 1, update: 1, send: 1},
		first: func(b *bed) { b.send(script); b.slice() },
		run:   func(b *bed) { b.cancel() },
	},
	{
		name: "renewal",
		wru:  2, rru: 0,
		calls: map[string]int{update: 1, extend: 1},
		first: func(b *bed) { b.send(script); b.claim() },
		run:   func(b *bed) { b.renew() },
	},
	{
		name: "list, a page of 10",
		wru:  0, rru: 0.5,
		calls: map[string]int{query: 1},
		first: func(b *bed) { b.sendMany(10) },
		run:   func(b *bed) { b.list(`{"pageSize":10}`) },
	},
	{
		name: "list with artifacts, a page of 10",
		wru:  0, rru: 10.5,
		calls: map[string]int{query: 11},
		first: func(b *bed) { b.sendMany(10) },
		run:   func(b *bed) { b.list(`{"pageSize":10,"includeArtifacts":true}`) },
	},
	{
		name: "a follower's look, nothing new",
		wru:  0, rru: 1,
		calls: map[string]int{query: 1},
		first: func(b *bed) { b.send(script); b.slice() },
		run:   func(b *bed) { b.look() },
	},
	{
		name: "a follower's look for text",
		wru:  0, rru: 1,
		calls: map[string]int{query: 1},
		first: func(b *bed) { b.send(script); b.claim(); b.say() },
		run:   func(b *bed) { b.listen() },
	},
	{
		name: "a piece of text, for followers",
		wru:  1, rru: 0,
		calls: map[string]int{put: 1},
		first: func(b *bed) { b.send(script); b.claim() },
		run:   func(b *bed) { b.say() },
	},
	{
		name: "recovery with nothing to do",
		wru:  0, rru: 2,
		calls: map[string]int{query: 4},
		run:   func(b *bed) { b.recover() },
	},
}
