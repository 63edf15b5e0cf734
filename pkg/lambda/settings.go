package lambda

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// Function is one of the deployment's functions.
type Function string

// The functions.
const (
	API     Function = "api"
	Turn    Function = "turn"
	Recover Function = "recover"
	// GRPC is no function: it runs as a container, over the same table and queue.
	GRPC Function = "grpc"
)

// Setting is an environment variable that functions read. Empty is the same as not set.
type Setting struct {
	Name     string
	Default  string // as in the environment
	Required bool   // there is no default
	Meaning  string // of the value, with its unit

	of   []Function
	mute bool                            // an error does not repeat the value
	read func(c *Config, v string) error // v is empty where there is neither value nor default
}

// Settings are the settings that a function reads, in the order in which they are checked.
func (f Function) Settings() []Setting {
	return slices.DeleteFunc(slices.Concat(settings, agentSettings), func(s Setting) bool { return !slices.Contains(s.of, f) })
}

var (
	all     = []Function{API, Turn, Recover, GRPC}
	ofDoors = []Function{API, GRPC}
	ofAPI   = []Function{API}
	ofTurn  = []Function{Turn}
)

// settings are in an order in which each can be checked by those before it.
var settings = []Setting{
	{
		Name: "LOG_LEVEL", Default: "info", Meaning: "debug, info, warn or error", of: all,
		read: func(c *Config, v string) error {
			if !slices.Contains([]string{"debug", "info", "warn", "error"}, v) {
				return errors.New("it is none of debug, info, warn and error")
			}
			return c.LogLevel.UnmarshalText([]byte(v))
		},
	},
	{
		Name: "AWS_ENDPOINT_URL", Meaning: "address of emulated AWS; empty: AWS itself", of: all,
		read: func(c *Config, v string) error { return readURL(&c.Endpoint, v) },
	},
	{
		Name: "TABLE", Required: true, Meaning: "name of the table of tasks", of: all,
		read: func(c *Config, v string) error { c.Table = v; return nil },
	},
	{
		Name: "QUEUE_URL", Required: true, Meaning: "URL of the queue of turns", of: all,
		read: func(c *Config, v string) error { return readURL(&c.QueueURL, v) },
	},
	{
		Name: "SECRET_PARAMETER", Required: true, Meaning: "name of the SSM parameter of the deployment's secret", of: ofDoors,
		read: func(c *Config, v string) error { c.SecretParameter = v; return nil },
	},
	{
		Name: "PUBLIC_URL", Meaning: "URL that the card gives; empty: the gateway's own", of: ofDoors,
		read: func(c *Config, v string) error { return readURL(&c.PublicURL, v) },
	},
	{
		Name: "INTERFACES", Meaning: `what the card lists beside its own, as [{"url": "agents.example.com:443", "protocolBinding": "GRPC"}]`, of: ofDoors,
		read: func(c *Config, v string) (err error) {
			c.Interfaces, err = readInterfaces(v)
			return err
		},
	},
	{
		Name: "AUTHENTICATION", Default: "iam", Meaning: "iam, or none in emulated AWS", of: ofAPI,
		read: func(c *Config, v string) (err error) {
			c.Signed, err = readOne(v, "iam", "none")
			if err == nil && !c.Signed && !c.Emulated() {
				err = errUnsigned
			}
			return err
		},
	},
	{
		Name: "IAM_SUBJECT", Default: "session", Meaning: "whom a task of an assumed role belongs to: its session, or the role", of: ofAPI,
		read: func(c *Config, v string) error {
			c.Subject = Subject(v)
			_, err := readOne(v, string(SubjectSession), string(SubjectRole))
			return err
		},
	},
	{
		Name: "RESPONSES", Default: "stream", Meaning: "stream, or buffer where the gateway only buffers", of: ofAPI,
		read: func(c *Config, v string) error {
			streams, err := readOne(v, "stream", "buffer")
			c.Streams = streams && !c.samLocal
			return err
		},
	},
	{
		Name: "BLOCKING_WAIT", Meaning: "how long a blocking call waits, such as 20s; empty: 4m30s, or 25s where replies are buffered", of: ofDoors,
		read: func(c *Config, v string) error {
			return readDuration(&c.BlockingWait, v, c.longestWait(), time.Second, c.longestWait())
		},
	},
	{
		Name: "HELD_CALLS", Default: "off", Meaning: "on: who may approve a call may read it, with its arguments", of: ofDoors,
		read: func(c *Config, v string) (err error) {
			c.HeldCalls, err = readOne(v, "on", "off")
			return err
		},
	},
	{
		Name: "MAX_MESSAGE_BYTES", Default: strconv.Itoa(task.MaxPiece), Meaning: "most bytes of a message as JSON", of: ofDoors,
		read: func(c *Config, v string) (err error) {
			c.MaxMessage, err = readNumber(v, 1024, task.MaxPiece)
			return err
		},
	},
	{
		Name: "MAX_MESSAGE_PARTS", Default: strconv.Itoa(a2a.MaxEntries), Meaning: "most parts of a message", of: ofDoors,
		read: func(c *Config, v string) (err error) {
			c.MaxParts, err = readNumber(v, 1, a2a.MaxEntries)
			return err
		},
	},
	{
		Name: "MAX_STREAMS", Default: "0", Meaning: "most streams that a caller has open in a process; 0: no bound", of: []Function{GRPC},
		read: func(c *Config, v string) (err error) {
			c.MaxStreams, err = readNumber(v, 0, 1_000_000)
			return err
		},
	},
	{
		Name: "LEASE", Meaning: "how long a worker holds a task unless it renews; empty: 30s", of: ofTurn,
		read: func(c *Config, v string) error {
			return readDuration(&c.Lease, v, turn.DefaultLease, turn.MinLease, 5*time.Minute)
		},
	},
	{
		Name: "SLICE", Meaning: "when an agent is asked to yield; empty: 4m30s", of: ofTurn,
		read: func(c *Config, v string) error {
			return readDuration(&c.Slice, v, turn.DefaultSlice, time.Second, 14*time.Minute)
		},
	},
	{
		Name: "RETENTION_DAYS", Default: "0", Meaning: "days that a finished task is kept; 0: for good", of: ofTurn,
		read: func(c *Config, v string) error {
			days, err := readNumber(v, 0, 3650)
			c.Retention = time.Duration(days) * 24 * time.Hour
			return err
		},
	},
	{
		Name: "RECOVER_LIMIT", Default: strconv.Itoa(turn.DefaultRecoverLimit), Meaning: "tasks that one recovery pokes", of: []Function{Recover},
		read: func(c *Config, v string) (err error) {
			c.RecoverLimit, err = readNumber(v, 1, 1000)
			return err
		},
	},
	{
		Name: "AGENT", Default: Scripted, Meaning: "the agent: test, the scripted one, or a folder of agents", of: []Function{API, Turn, GRPC},
		read: func(c *Config, v string) error {
			if c.Agent = v; !agentName.MatchString(v) {
				return errors.New("it is no name of a folder: 1 to 64 of a–z, 0–9 and -")
			}
			return nil
		},
	},
}

// readOne reports whether v is the first of two words.
func readOne(v, first, second string) (bool, error) {
	if v != first && v != second {
		return false, fmt.Errorf("it is neither %s nor %s", first, second)
	}
	return v == first, nil
}

// readURL takes an absolute URL of HTTP without anything behind its path, or none.
func readURL(to *string, v string) error {
	*to = v
	if v == "" {
		return nil
	}
	u, err := url.Parse(v)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return errors.New("it is no http or https URL")
	}
	if plain := (url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}); plain.String() != v {
		return errors.New("it is not plain: scheme, host and a path with nothing escaped")
	}
	return nil
}

func readDuration(to *time.Duration, v string, unset, least, most time.Duration) (err error) {
	*to = unset
	if v == "" {
		return nil
	}
	if *to, err = time.ParseDuration(v); err != nil || *to < least || *to > most {
		return fmt.Errorf("it is no duration from %v to %v", least, most)
	}
	return nil
}

// readInterfaces reads the interfaces that a card lists beside its own (CARD-04).
func readInterfaces(v string) ([]a2a.AgentInterface, error) {
	if v == "" {
		return nil, nil
	}
	var all []a2a.AgentInterface
	if err := json.Unmarshal([]byte(v), &all); err != nil {
		return nil, errors.New("it is no JSON array of interfaces")
	}
	for i, in := range all {
		if in.URL == "" || in.ProtocolBinding == "" {
			return nil, fmt.Errorf("interface %d needs a url and a protocolBinding", i)
		}
	}
	return all, nil
}

func readNumber(v string, least, most int) (int, error) {
	n, err := strconv.Atoi(v)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("it is no number from %d to %d", least, most)
	}
	return n, nil
}
