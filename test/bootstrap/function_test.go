package bootstrap

import (
	"bytes"
	"context"
	"encoding/json"
	"maps"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/test/runtimeapi"
)

// timeout is how long template.yaml lets functions run.
const timeout = 300 * time.Second

// function is a running bootstrap.
type function struct {
	testing.TB
	api *runtimeapi.Server
	cmd *exec.Cmd
	ctx context.Context // ends with the process
	out bytes.Buffer    // all that it said; to be read when it has ended
}

// start starts a function with nothing in its environment but settings. It is killed at the end of
// the test.
func start(t testing.TB, name string, settings map[string]string) *function {
	t.Helper()
	f := &function{TB: t, api: runtimeapi.New(t), cmd: exec.Command(bootstrap(t, name))}
	f.cmd.Env = []string{"AWS_LAMBDA_RUNTIME_API=" + f.api.Address(), "AWS_LAMBDA_FUNCTION_NAME=" + name}
	for k, v := range maps.All(settings) {
		f.cmd.Env = append(f.cmd.Env, k+"="+v)
	}
	f.cmd.Stdout, f.cmd.Stderr = &f.out, &f.out
	var ended context.CancelFunc
	f.ctx, ended = context.WithCancel(context.Background())
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		f.cmd.Wait()
		ended()
	}()
	t.Cleanup(func() {
		f.kill()
		if t.Failed() {
			t.Logf("%s said:\n%s", name, f.out.Bytes())
		}
	})
	return f
}

// kill ends the process as kill −9 does, stopped or not, and waits until it is gone.
func (f *function) kill() {
	f.cmd.Process.Kill()
	<-f.ctx.Done()
}

func (f *function) signal(s syscall.Signal) {
	f.Helper()
	if err := f.cmd.Process.Signal(s); err != nil {
		f.Fatal(err)
	}
}

// invoke gives the function an event and waits for its reply, or its end.
func (f *function) invoke(event any) (status int, body []byte, err error) {
	b, err := json.Marshal(event)
	if err != nil {
		return 0, nil, err
	}
	reply, err := f.api.Invoke(f.ctx, b, time.Now().Add(timeout))
	if err != nil {
		return 0, nil, err
	}
	body, err = reply.Rest()
	return reply.Status, body, err
}
