// Package emulator runs AWS emulated on this machine: DynamoDB, SQS and, to deploy a stack into
// it, the services that CloudFormation needs. It starts ministack, which infra/tools installs, as
// a process that ends with this one. What an emulator gets wrong it proves nothing about: the
// tests on it say where.
package emulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"

	"github.com/interlude-a2a/interlude/pkg/awsconfig"
)

// ErrNotInstalled says that INTERLUDE_EMULATOR does not name a Python that has ministack.
var ErrNotInstalled = errors.New("emulator: INTERLUDE_EMULATOR is not set; run under infra/tools/with.py")

// Region is the one that is emulated.
const Region = "eu-central-1"

// All services, for a whole stack.
var All = []string{"all"}

// startTimeout is for a machine that is busy.
const startTimeout = 60 * time.Second

// Emulator is one running emulation of AWS.
type Emulator struct {
	Endpoint string // http://127.0.0.1:port, or another address that it is bound to
	stdin    io.Closer
	said     tail
	ended    chan struct{} // closed when its process has ended
}

// Options of Start. The zero value emulates DynamoDB and SQS on a free port.
type Options struct {
	Services []string  // DynamoDB and SQS unless named; All
	Port     int       // a free one unless named
	Bind     string    // the one address of this machine it is reached at; 127.0.0.1 unless named
	Log      io.Writer // nowhere unless named
	Env      []string  // more of its environment, as KEY=value
}

// Start starts an emulation and returns when it answers.
func Start(ctx context.Context, o Options) (*Emulator, error) {
	python := os.Getenv("INTERLUDE_EMULATOR")
	if python == "" {
		return nil, ErrNotInstalled
	}
	if o.Bind == "" {
		o.Bind = "127.0.0.1"
	}
	var err error
	if o.Port, err = freePort(o.Bind, o.Port); err != nil {
		return nil, fmt.Errorf("emulator: %w", err)
	}
	if o.Services == nil {
		o.Services = []string{"dynamodb", "dynamodbstreams", "sqs"}
	}
	e := &Emulator{Endpoint: "http://" + net.JoinHostPort(o.Bind, strconv.Itoa(o.Port)), ended: make(chan struct{})}
	if err := e.start(python, o); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := e.healthy(ctx); err != nil {
		e.Stop()
		return nil, err
	}
	return e, nil
}

// untilOrphaned ends the emulator when its standard input does: with whoever started it, even if
// that was killed.
const untilOrphaned = `
import os, runpy, sys, threading
threading.Thread(target=lambda: (sys.stdin.buffer.read(), os._exit(0)), daemon=True).start()
runpy.run_module("ministack", run_name="__main__")
`

func (e *Emulator) start(python string, o Options) error {
	cmd := exec.Command(python, "-c", untilOrphaned)
	// An empty bundle of certificates would be taken for one.
	own := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "AWS_CA_BUNDLE=") })
	cmd.Env = append(own,
		fmt.Sprint("GATEWAY_PORT=", o.Port), "BIND_HOST="+o.Bind,
		"IOT_MTLS_ENABLED=0", "SFTP_ENABLED=0",
		"AWS_DEFAULT_REGION="+Region, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test")
	if !slices.Equal(o.Services, All) {
		cmd.Env = append(cmd.Env, "SERVICES="+strings.Join(o.Services, ","))
	}
	cmd.Env = append(cmd.Env, o.Env...)
	cmd.Stdout = io.Writer(&e.said)
	if o.Log != nil {
		cmd.Stdout = io.MultiWriter(&e.said, o.Log)
	}
	cmd.Stderr = cmd.Stdout
	cmd.WaitDelay = 2 * time.Second // functions that it runs may hold its output open
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	e.stdin = stdin
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("emulator: %w", err)
	}
	go func() {
		defer close(e.ended)
		cmd.Wait() // how it ended says less than it said itself
	}()
	return nil
}

// healthy returns when the emulator answers, or has ended.
func (e *Emulator) healthy(ctx context.Context) error {
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, e.Endpoint+"/_ministack/health", nil)
		if err != nil {
			return err
		}
		if resp, err := http.DefaultClient.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-e.ended:
			return fmt.Errorf("emulator: it ended: %s", &e.said)
		case <-ctx.Done():
			return fmt.Errorf("emulator: it does not answer: %w", ctx.Err())
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// Stop ends it, and with it all it holds.
func (e *Emulator) Stop() {
	e.stdin.Close()
	<-e.ended
}

// tail keeps the end of what is written to it.
type tail struct{ b []byte }

const tailSize = 2 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.b = append(t.b, b...)
	if over := len(t.b) - tailSize; over > 0 {
		t.b = append(t.b[:0], t.b[over:]...)
	}
	return len(b), nil
}

func (t *tail) String() string { return strings.TrimSpace(string(t.b)) }

var accounts atomic.Int64

// Account configures clients of an account of its own: nothing in it is seen from another.
func (e *Emulator) Account() aws.Config {
	id := fmt.Sprintf("%012d", 100000000000+int64(os.Getpid())*10000+accounts.Add(1))
	return e.Config(id)
}

// Config configures clients of the account of that id, of 12 digits.
func (e *Emulator) Config(account string) aws.Config {
	env := map[string]string{"AWS_ACCESS_KEY_ID": account, "AWS_SECRET_ACCESS_KEY": "secret"}
	return awsconfig.New(awsconfig.Options{
		Region:   Region,
		Endpoint: e.Endpoint,
		Getenv:   func(name string) string { return env[name] },
	})
}

// freePort is the port if nobody has it, or for 0 one that nobody has.
func freePort(host string, port int) (int, error) {
	l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
