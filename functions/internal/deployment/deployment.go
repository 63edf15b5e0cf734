// Package deployment opens what all functions of a deployment share: settings, log, table and
// queue.
package deployment

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/aws/aws-lambda-go/lambda"
	"github.com/aws/aws-sdk-go-v2/aws"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/agent/agenttest"
	"github.com/interlude-a2a/interlude/pkg/awsconfig"
	"github.com/interlude-a2a/interlude/pkg/card"
	settings "github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// Deployment is what a function has of it.
type Deployment struct {
	settings.Config
	Cloud aws.Config
	Store *dynamodb.Store
	Queue *sqs.Queue
	Log   *slog.Logger // also slog's default
}

// Start runs a function as its settings say: with the handler that wire makes. A wrong setting
// ends the process with one line that names it.
func Start(f settings.Function, wire func(Deployment) (handler any, err error)) {
	d, err := open(f, os.Getenv)
	var handler any
	if err == nil {
		handler, err = wire(d)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", f, err)
		os.Exit(1)
	}
	lambda.Start(handler)
}

// open reads the settings and makes clients. Nobody is called.
func open(f settings.Function, getenv func(string) string) (Deployment, error) {
	c, err := settings.ReadConfig(f, getenv)
	if err != nil {
		return Deployment{}, err
	}
	log := settings.NewLog(os.Stdout, c.LogLevel)
	slog.SetDefault(log)
	cloud := awsconfig.New(awsconfig.Options{Region: getenv("AWS_REGION"), Endpoint: c.Endpoint, Getenv: getenv})
	return Deployment{
		Config: c,
		Cloud:  cloud,
		Store:  dynamodb.New(awsdynamodb.NewFromConfig(cloud), c.Table, dynamodb.Options{}),
		Queue:  sqs.New(awssqs.NewFromConfig(cloud), c.QueueURL),
		Log:    log,
	}, nil
}

// Files is a folder that was built beside the program.
func Files(name string) (fs.FS, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.DirFS(filepath.Join(filepath.Dir(program), name)), nil
}

// Modified is when the program was built, as its file says: its cards are no younger. Zero: the file
// has no such date.
func Modified() time.Time {
	program, err := os.Executable()
	if err != nil {
		return time.Time{}
	}
	file, err := os.Stat(program)
	if err != nil || file.ModTime().Before(firstBuild) { // as packers write that keep none
		return time.Time{}
	}
	return file.ModTime()
}

var firstBuild = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Cards are the content of the agent's card, and what authenticated callers see beyond it. Of an
// agent from a file they were made when the function was built, so that nothing here reads YAML.
func (d Deployment) Cards() (content a2a.AgentCard, more *a2a.AgentCard, err error) {
	if d.Agent == settings.Scripted {
		return agenttest.Card, nil, nil
	}
	dir, err := Files("cards")
	if err != nil {
		return content, nil, err
	}
	content, more, err = card.Read(dir, d.Agent)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("AGENT is %q: the program was built without a card of it", d.Agent)
	}
	return content, more, err
}
