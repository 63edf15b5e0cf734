package transcript

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/interlude-a2a/interlude/pkg/interaction"
)

// script draws n calls from a seed. In their parameters {task N} is the Nth task that was started,
// {open N} what that task waits for, and {token} the last page token.
func script(seed uint64, n int) []call {
	d := drawer{rand.New(rand.NewPCG(seed, 0))}
	calls := make([]call, n)
	for i := range calls {
		calls[i] = d.call(i)
	}
	return calls
}

type drawer struct{ *rand.Rand }

func one[T any](d drawer, all ...T) T { return all[d.IntN(len(all))] }

// rarely is true one time in n.
func (d drawer) rarely(n int) bool { return d.IntN(n) == 0 }

// call draws call i.
func (d drawer) call(i int) call {
	draw := one(d, d.start, d.start, d.start, d.answer, d.answer, d.answer, d.text, d.get, d.list, d.list, d.cancel, d.subscribe, d.other)
	c := draw(i)
	c.Headers = map[string]string{"Authorization": "Bearer " + one(d, "alice", "alice", "alice", "bob"), "A2A-Version": "1.0"}
	if d.rarely(2) {
		c.Headers["A2A-Extensions"] = one(d, interaction.URI, interaction.URI+",https://example.com/other", "https://example.com/other")
	}
	if d.rarely(20) {
		c.Headers["A2A-Version"] = one(d, "0.3", "1.1", "2.0", "one")
	}
	return c
}

func (d drawer) task() string { return fmt.Sprintf("{task %d}", d.IntN(20)) }

// send is a call of one of the two methods that send, with a configuration now and then.
func (d drawer) send(message map[string]any) call {
	params := map[string]any{"message": message}
	if d.rarely(2) {
		configuration := map[string]any{}
		if d.rarely(2) {
			configuration["returnImmediately"] = true
		}
		if d.rarely(2) {
			configuration["historyLength"] = d.IntN(4)
		}
		if d.rarely(4) {
			configuration["acceptedOutputModes"] = []string{one(d, "text/plain", "application/json", "image/png")}
		}
		params["configuration"] = configuration
	}
	return call{Method: one(d, "SendMessage", "SendStreamingMessage"), Params: params}
}

func message(i int, parts ...map[string]any) map[string]any {
	return map[string]any{"messageId": fmt.Sprintf("m-%d", i), "role": "ROLE_USER", "parts": parts}
}

func text(s string) map[string]any { return map[string]any{"text": s} }

// start starts a task, or tries to with a message that won't do.
func (d drawer) start(i int) call {
	m := message(i, text(one(d,
		"say done", "hello", "artifact text x; say done", `artifact data {"n": [1, null, "\u00e9"]}; say done`, "artifact raw AAEC; artifact url https://example.com/a",
		"piece a b c; say done", "message hi", "fail no", "reject no", "sleep 2017ms; say done", "sleep 40031ms; say done", "crash; say on",
		"ask Which?; say done", "approve github/merge because; say done", "connect github: to look; say done",
		"ask One? & ask Two? & approve a/b; say done", "ask A?; ask B?; ask C?",
	)))
	m["contextId"] = fmt.Sprintf("c-%d", d.IntN(3))
	switch d.IntN(30) {
	case 0:
		m["parts"] = []any{}
	case 1:
		m["messageId"] = ""
	case 2:
		m["role"] = "ROLE_AGENT"
	case 3:
		m["parts"] = []any{map[string]any{}}
	case 4:
		m["referenceTaskIds"] = []string{d.task(), "t1.none"}
	case 5:
		m["metadata"] = map[string]any{"a": []any{1, nil, "x"}, interaction.URI: 5}
	case 6:
		m["messageId"] = "m-again"
	case 7:
		delete(m, "contextId")
	case 8:
		m["parts"] = []any{map[string]any{"url": "https://example.com/a", "mediaType": "image/png"}, map[string]any{"data": nil}, text("say parts")}
	}
	return d.send(m)
}

// answer answers what a task waits for, in one of the ways that fit a kind.
func (d drawer) answer(i int) call {
	n := d.IntN(20)
	given := one(d, map[string]any{"approved": true}, map[string]any{"approved": false}, map[string]any{"value": "x"},
		map[string]any{"value": map[string]any{"connected": true}}, map[string]any{"value": nil}, map[string]any{"approved": "yes"})
	metadata := map[string]any{"interactionId": fmt.Sprintf("{open %d}", n)}
	for k, v := range given {
		metadata[k] = v
	}
	m := message(i, map[string]any{"data": given})
	m["taskId"], m["extensions"] = fmt.Sprintf("{task %d}", n), []string{interaction.URI}
	m["metadata"] = map[string]any{interaction.URI: metadata}
	if d.rarely(3) {
		m["messageId"] = fmt.Sprintf("answer:{open %d}", n) // so that some come again
	}
	if d.rarely(10) {
		metadata["interactionId"] = "eff_none"
	}
	return d.send(m)
}

// text says something to a task, which answers no more than a question.
func (d drawer) text(i int) call {
	m := message(i, text(one(d, "yes", "approved: true", "main")))
	m["taskId"] = one(d, d.task(), d.task(), "t1.none")
	if d.rarely(5) {
		m["contextId"] = "c-1"
	}
	return d.send(m)
}

func (d drawer) get(int) call {
	params := map[string]any{"id": one(d, d.task(), d.task(), d.task(), "t1.none", "a b/c?d")}
	if d.rarely(2) {
		params["historyLength"] = d.IntN(5) - 1
	}
	return call{Method: "GetTask", Params: params}
}

func (d drawer) list(int) call {
	params := map[string]any{}
	for _, p := range []struct {
		name  string
		value any
	}{
		{"contextId", one(d, "c-0", "c-1", "c-none")},
		{"status", one(d, "TASK_STATE_COMPLETED", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING")},
		{"pageSize", one(d, 1, 2, 3, 100, 0, 101, -1)},
		{"historyLength", d.IntN(4) - 1},
		{"includeArtifacts", d.rarely(2)},
		{"statusTimestampAfter", one(d, "2000-01-01T00:02:00Z", "2001-01-01T00:00:00Z")},
		{"pageToken", one(d, "{token}", "{token}", "no token")},
	} {
		if d.rarely(3) {
			params[p.name] = p.value
		}
	}
	return call{Method: "ListTasks", Params: params}
}

func (d drawer) cancel(int) call {
	params := map[string]any{"id": one(d, d.task(), d.task(), d.task(), "t1.none")}
	if d.rarely(3) {
		params["metadata"] = map[string]any{"why": "changed my mind"}
	}
	return call{Method: "CancelTask", Params: params}
}

func (d drawer) subscribe(int) call {
	return call{Method: "SubscribeToTask", Params: map[string]any{"id": one(d, d.task(), d.task(), "t1.none")}}
}

// other is a call of an operation that is there without any task of ours.
func (d drawer) other(int) call {
	return one(d,
		call{Method: "GetExtendedAgentCard", Params: map[string]any{}},
		call{Method: "CreateTaskPushNotificationConfig", Params: map[string]any{"taskId": d.task(), "url": "https://example.com/hook"}},
		call{Method: "ListTaskPushNotificationConfigs", Params: map[string]any{"taskId": d.task()}},
		call{Method: "GetTaskPushNotificationConfig", Params: map[string]any{"taskId": d.task(), "id": "p"}},
		call{Method: "DeleteTaskPushNotificationConfig", Params: map[string]any{"taskId": d.task(), "id": "p"}},
	)
}

func (c call) String() string {
	params, _ := json.Marshal(c.Params)
	return fmt.Sprintf("%s %s as %v", c.Method, params, c.Headers)
}
