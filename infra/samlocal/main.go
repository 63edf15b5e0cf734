// Command samlocal runs the deployed shape on this machine: the stack in emulated AWS, and its API
// served by sam local start-api, which needs Docker. The API's container works on the table and
// the queue of the emulation, where the turn function runs too.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/infra/stack"
	"github.com/interlude-a2a/interlude/infra/tracker"
)

// errNoDocker says in one line what is missing.
var errNoDocker = errors.New("sam local start-api needs a running Docker; make run needs none")

// host is this machine as a container names it.
const host = "host.docker.internal"

// exitNoDocker tells a machine without Docker from a failure.
const exitNoDocker = 3

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := run(ctx)
	switch {
	case errors.Is(err, errNoDocker):
		fmt.Fprintln(os.Stderr, "interlude:", err)
		os.Exit(exitNoDocker)
	case err != nil && ctx.Err() == nil:
		fmt.Fprintln(os.Stderr, "interlude:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	if !dockerRuns(ctx) {
		return errNoDocker
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	if err := free(port); err != nil {
		return err
	}
	build, err := os.MkdirTemp("", "interlude")
	if err != nil {
		return err
	}
	defer os.RemoveAll(build)
	bind, err := reached(ctx)
	if err != nil {
		return err
	}
	e, err := emulator.Start(ctx, emulator.Options{Services: emulator.All, Bind: bind})
	if err != nil {
		return err
	}
	defer e.Stop()
	tools, stop, err := tracker.Serve()
	if err != nil {
		return err
	}
	defer stop()
	s := &stack.Stack{
		Name: "interlude", Source: ".", Build: build, Emulator: e,
		Parameters: map[string]string{
			"Authentication": "NONE",
			// The emulation runs turns as processes of this machine.
			"Agent": "coder", "ToolServers": "tracker=" + tools, "Networks": "127.0.0.0/8",
		},
		Log: os.Stderr,
	}
	outputs, err := s.Deploy(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("interlude serves an A2A agent at http://localhost:%s\n", port)
	return s.StartAPI(ctx, port, map[string]string{
		"TABLE":            outputs["Table"],
		"QUEUE_URL":        outputs["TurnQueue"],
		"AWS_ENDPOINT_URL": strings.Replace(e.Endpoint, bind, host, 1),
		"PUBLIC_URL":       "http://localhost:" + port,
	}, startAPIArgs()...)
}

// startAPIArgs are more arguments of sam local start-api: this machine's name as containers have it,
// and what SAM_LOCAL_ARGS adds, such as --skip-pull-image.
func startAPIArgs() []string {
	return append([]string{"--add-host", host + ":host-gateway"}, strings.Fields(os.Getenv("SAM_LOCAL_ARGS"))...)
}

// free says so if the API can't be served on a port: sam would, after the whole deployment.
func free(port string) error {
	l, err := net.Listen("tcp", net.JoinHostPort("localhost", port))
	if err != nil {
		return fmt.Errorf("PORT is %q: %w", port, err)
	}
	return l.Close()
}

func dockerRuns(ctx context.Context) bool {
	return exec.CommandContext(ctx, "docker", "version", "--format", "{{.Server.Version}}").Run() == nil
}
