package runtimeapi_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	awslambda "github.com/aws/aws-lambda-go/lambda"

	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/test/runtimeapi"
)

// TestMain is also the function under test: this program, started again with a Runtime API to ask.
func TestMain(m *testing.M) {
	if os.Getenv("AWS_LAMBDA_RUNTIME_API") == "" {
		os.Exit(m.Run())
	}
	o := lambda.Options{Log: lambda.NewLog(os.Stderr, 0)}
	h, err := lambda.Mount("", serveSystem, o)
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.HandleFunc("/steps", stepwise)
	mux.HandleFunc("/deadline", func(w http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
		io.WriteString(w, "ended in time")
	})
	awslambda.Start(lambda.Streamed(mux, o))
}

// stepwise takes a step for each line of its standard input: it writes what the line says.
func stepwise(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Add("X-Many", "1")
	w.Header().Add("X-Many", "2")
	for {
		switch line, _ := lines.ReadString('\n'); line {
		case "flush\n":
			http.NewResponseController(w).Flush()
		case "panic\n":
			panic("the inside")
		case "end\n", "":
			return
		default:
			io.WriteString(w, line)
		}
	}
}

var lines = bufio.NewReader(os.Stdin)

// steps is the event of a call of stepwise.
var steps = events.APIGatewayProxyRequest{HTTPMethod: "GET", Path: "/steps"}

// function is a running function and the way to lead its handler.
type function struct {
	*testing.T
	api   *runtimeapi.Server
	stdin io.Writer
}

func start(t *testing.T) function {
	t.Helper()
	api := runtimeapi.New(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "AWS_LAMBDA_RUNTIME_API="+api.Address())
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	return function{t, api, stdin}
}

func (f function) step(s string) {
	f.Helper()
	if _, err := fmt.Fprintln(f.stdin, s); err != nil {
		f.Fatal(err)
	}
}

func (f function) invoke(e events.APIGatewayProxyRequest, left time.Duration) *runtimeapi.Reply {
	f.Helper()
	event, err := json.Marshal(e)
	if err != nil {
		f.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(f.Context(), time.Minute)
	defer cancel()
	reply, err := f.api.Invoke(ctx, event, time.Now().Add(left))
	if err != nil {
		f.Fatal(err)
	}
	return reply
}

// TestStream reads each piece before the handler is told to make the next: nothing is held back.
func TestStream(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.step("flush")
	reply := f.invoke(steps, time.Minute)
	if reply.ContentType != runtimeapi.Streamed || reply.Status != http.StatusOK || len(reply.Header["X-Many"]) != 2 {
		t.Fatalf("got %q, %d, %v, want a streamed 200 with two values of X-Many", reply.ContentType, reply.Status, reply.Header)
	}
	var last time.Time
	for _, want := range []string{"data: 1", "data: 2", "data: 3"} {
		f.step(want)
		p, err := reply.Next()
		if err != nil || string(p.Data) != want+"\n" || p.At.Before(last) {
			t.Fatalf("got %q at %v, %v, want %q", p.Data, p.At, err, want)
		}
		last = p.At
	}
	f.step("end")
	if rest, err := reply.Rest(); err != nil || len(rest) > 0 {
		t.Errorf("got %q, %v, want a clean end", rest, err)
	}
}

// A panic fails its own call; the same process serves the next.
func TestPanics(t *testing.T) {
	t.Parallel()
	f := start(t)
	f.step("panic")
	before := f.invoke(steps, time.Minute)
	body, err := before.Rest()
	if err != nil || before.Status != http.StatusInternalServerError || !json.Valid(body) {
		t.Errorf("before the reply: got %d, %s, %v, want 500 in JSON", before.Status, body, err)
	}

	f.step("data: 1")
	after := f.invoke(steps, time.Minute)
	f.step("panic")
	body, err = after.Rest()
	var cut *runtimeapi.Error
	if !errors.As(err, &cut) || cut.Message != "lambda: the reply was cut short" || string(body) != "data: 1\n" {
		t.Errorf("after it began: got %q, %v, want a cut reply", body, err)
	}

	f.step("end")
	if next := f.invoke(steps, time.Minute); next.Status != http.StatusOK {
		t.Errorf("the next call: got %d, want 200", next.Status)
	}
}

// The handler is told before the deadline, early enough to end its reply.
func TestDeadline(t *testing.T) {
	t.Parallel()
	f := start(t)
	const left = 3500 * time.Millisecond
	begun := time.Now()
	reply := f.invoke(events.APIGatewayProxyRequest{HTTPMethod: "GET", Path: "/deadline"}, left)
	body, err := reply.Rest()
	if err != nil || string(body) != "ended in time" || time.Since(begun) >= left {
		t.Errorf("got %q, %v after %v, want the whole reply within %v", body, err, time.Since(begun), left)
	}
}
