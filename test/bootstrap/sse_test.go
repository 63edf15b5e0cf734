package bootstrap

import (
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"

	"github.com/interlude-a2a/interlude/pkg/a2a"
)

// event is a server-sent event.
type event struct {
	ID, Data string
	at       time.Time // of the piece that ended it
}

// stream makes a call that is answered with a stream, and reads it to its end.
func (b *bed) stream(method, path, body string, headers ...string) (all []event) {
	b.Helper()
	return b.streamUntil(time.Now().Add(timeout), method, path, body, headers...)
}

// streamUntil is stream, by an invocation with a deadline.
func (b *bed) streamUntil(deadline time.Time, method, path, body string, headers ...string) (all []event) {
	b.Helper()
	e := events.APIGatewayProxyRequest{
		HTTPMethod: method, Path: path, Body: body,
		MultiValueHeaders: map[string][]string{a2a.HeaderVersion: {a2a.ProtocolVersion}, "Content-Type": {a2a.MediaTypeJSON}},
	}
	for i := 0; i < len(headers); i += 2 {
		e.MultiValueHeaders[headers[i]] = []string{headers[i+1]}
	}
	request, err := json.Marshal(e)
	if err != nil {
		b.Fatal(err)
	}
	reply, err := b.api.api.Invoke(b.api.ctx, request, deadline)
	if err != nil || reply.Status != http.StatusOK || reply.Header.Get("Content-Type") != "text/event-stream" {
		b.Fatalf("%s %s: got %+v, %v, want a stream", method, path, reply, err)
	}
	text := ""
	for {
		piece, err := reply.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			b.Fatalf("%s %s: the stream failed: %v", method, path, err)
		}
		text += string(piece.Data)
		for {
			block, rest, whole := strings.Cut(text, "\n\n")
			if !whole {
				break
			}
			if text = rest; !strings.HasPrefix(block, ":") {
				all = append(all, read(block, piece.At))
			}
		}
	}
	if text != "" {
		b.Errorf("%s %s: the stream ends with %q", method, path, text)
	}
	return all
}

func read(block string, at time.Time) event {
	e := event{at: at}
	for _, line := range strings.Split(block, "\n") {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			e.ID = id
		}
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			e.Data = data
		}
	}
	return e
}

// SPEC-08, SRV-30, R-22: a stream through the built functions, of a task that another one runs, comes as
// it is made; a follower cut off at any event continues with nothing lost or doubled.
func TestStream(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.serve(b.start("turn", nil))
	words := strings.Repeat("word ", 60) // some seconds of them
	script := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"say one; sleep 2s; write ` + words + `; piece x y; say done"}]}}`
	all := b.stream(http.MethodPost, "/message:stream", script)
	durable := slices.DeleteFunc(slices.Clone(all), func(e event) bool { return e.ID == "" })
	var first struct{ Task struct{ ID string } }
	if err := json.Unmarshal([]byte(all[0].Data), &first); err != nil || len(durable) != 7 || !strings.Contains(durable[6].Data, "COMPLETED") {
		t.Fatalf("the stream: %v", all)
	}
	if took := all[len(all)-1].at.Sub(all[0].at); took < 2*time.Second {
		t.Errorf("the last event came %v after the first: the stream was held back", took)
	}
	if len(all) < len(durable)+2 {
		t.Errorf("%d events of text as it was written: %v", len(all)-len(durable), all)
	}
	for i, e := range durable {
		rest := b.stream(http.MethodGet, "/tasks/"+first.Task.ID+":subscribe", "", "Last-Event-ID", e.ID)
		want := durable[i+1:]
		if !slices.EqualFunc(rest, want, func(a, b event) bool { return a.ID == b.ID && a.Data == b.Data }) {
			t.Errorf("cut off at event %s: got %v, want %v", e.ID, rest, want)
		}
	}
}

// the end of the invocation is a clean end of the stream, and its function goes on to the next.
func TestStreamEndsWithItsInvocation(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.serve(b.start("turn", nil))
	deadline := time.Now().Add(12 * time.Second)
	script := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"say one; sleep 1m; say done"}]}}`
	all := b.streamUntil(deadline, http.MethodPost, "/message:stream", script)
	if time.Now().After(deadline) || len(all) < 3 || strings.Contains(all[len(all)-1].Data, "COMPLETED") {
		t.Errorf("%v after the deadline: %v", time.Since(deadline), all)
	}
	if key := b.send("say done"); key.ID == "" {
		t.Error("the function takes no more calls")
	}
}
