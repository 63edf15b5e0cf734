// Package stack builds template.yaml with the sam command and deploys it into emulated AWS.
//
// The deploy test and infra/samlocal call it. It changes nothing in the sources: builds go into a
// folder given. What fails comes back with what sam said.
package stack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/interlude-a2a/interlude/infra/emulator"
)

// ErrNotInstalled says that INTERLUDE_SAM does not name a folder that has the sam command.
var ErrNotInstalled = errors.New("stack: INTERLUDE_SAM is not set; run under infra/tools/with.py")

// Stack is template.yaml on the way into an emulator.
type Stack struct {
	Name     string
	Source   string // folder of template.yaml
	Build    string // folder that builds go to
	Emulator *emulator.Emulator
	// Reach is the emulator's address as the functions have it; the Emulator's own unless set.
	Reach string
	// Parameters of the template, beside those that an emulator needs.
	Parameters map[string]string
	Log        io.Writer // what sam says; nowhere unless set
}

// Deploy builds and deploys, and returns the stack's outputs by name.
func (s *Stack) Deploy(ctx context.Context) (map[string]string, error) {
	parameters := append([]string{"--parameter-overrides"}, s.parameters()...)
	if err := s.sam(ctx, append([]string{"build", "--build-dir", s.Build}, parameters...), nil); err != nil {
		return nil, err
	}
	deploy := append([]string{
		"deploy", "--template-file", filepath.Join(s.Build, "template.yaml"), "--stack-name", s.Name,
		"--resolve-s3", "--no-confirm-changeset", "--no-fail-on-empty-changeset", "--capabilities", "CAPABILITY_IAM",
	}, parameters...)
	if err := s.sam(ctx, deploy, nil); err != nil {
		return nil, err
	}
	return s.outputs(ctx)
}

// StartAPI serves the stack's API on a port of this machine until ctx ends: sam local start-api,
// with the variables of env for its functions.
func (s *Stack) StartAPI(ctx context.Context, port string, env map[string]string, more ...string) error {
	file := filepath.Join(s.Build, "env.json")
	b, err := json.Marshal(map[string]any{"Parameters": env})
	if err != nil {
		return err
	}
	if err := os.WriteFile(file, b, 0o600); err != nil {
		return err
	}
	args := append([]string{
		"local", "start-api", "--template", filepath.Join(s.Build, "template.yaml"), "--port", port, "--env-vars", file,
		"--parameter-overrides",
	}, s.parameters()...)
	return s.sam(ctx, append(args, more...), nil)
}

func (s *Stack) outputs(ctx context.Context) (map[string]string, error) {
	var out bytes.Buffer
	if err := s.sam(ctx, []string{"list", "stack-outputs", "--stack-name", s.Name, "--output", "json"}, &out); err != nil {
		return nil, err
	}
	var list []struct{ OutputKey, OutputValue string }
	if err := json.Unmarshal(out.Bytes(), &list); err != nil {
		return nil, fmt.Errorf("stack: read the outputs: %w", err)
	}
	outputs := map[string]string{}
	for _, o := range list {
		outputs[o.OutputKey] = o.OutputValue
	}
	return outputs, nil
}

// parameters are the template's, as name=value. Emulators run functions as processes of this
// machine, and don't stream.
func (s *Stack) parameters() []string {
	all := map[string]string{
		"Architecture": map[string]string{"amd64": "x86_64", "arm64": "arm64"}[runtime.GOARCH],
		"Responses":    "BUFFERED",
		"EndpointUrl":  s.reach(),
	}
	for name, value := range s.Parameters {
		all[name] = value
	}
	var out []string
	for name, value := range all {
		out = append(out, name+"="+value)
	}
	slices.Sort(out)
	return out
}

func (s *Stack) reach() string {
	if s.Reach != "" {
		return s.Reach
	}
	return s.Emulator.Endpoint
}

// sam runs the command against the emulator. Its output is the error's text, unless it is wanted.
func (s *Stack) sam(ctx context.Context, args []string, stdout io.Writer) error {
	bin := os.Getenv("INTERLUDE_SAM")
	if bin == "" {
		return ErrNotInstalled
	}
	var said bytes.Buffer
	var log io.Writer = &said
	if s.Log != nil {
		log = io.MultiWriter(&said, s.Log)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(bin, "sam"), args...)
	cmd.Dir = s.Source
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "AWS_") }),
		"SAM_CLI_TELEMETRY=0", "LAMBDA_GOARCH="+runtime.GOARCH, "AWS_ENDPOINT_URL="+s.Emulator.Endpoint,
		"AWS_DEFAULT_REGION="+emulator.Region, "AWS_ACCESS_KEY_ID=test", "AWS_SECRET_ACCESS_KEY=test")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.Stdout, cmd.Stderr = log, log
	if stdout != nil {
		cmd.Stdout = stdout
	}
	if err := cmd.Run(); err != nil && ctx.Err() == nil {
		return fmt.Errorf("sam %s: %w\n%s", args[0], err, said.String())
	}
	return ctx.Err()
}
