package lambda

import (
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/access"
)

// Config is what the settings of a function say. Fields of settings that the function does not
// read are zero.
type Config struct {
	Table           string
	QueueURL        string
	SecretParameter string               // name of the parameter that keeps the deployment's secret
	PublicURL       string               // empty: the gateway's own
	Interfaces      []a2a.AgentInterface // that the card lists beside its own (SRV-17)
	Endpoint        string               // of emulated AWS; empty: AWS itself
	LogLevel        slog.Level

	Signed       bool // callers prove who they are, by IAM
	Subject      Subject
	Streams      bool
	BlockingWait time.Duration
	MaxMessage   int  // bytes
	MaxParts     int  // of a message
	MaxStreams   int  // of a tenant in a process; zero: no bound
	HeldCalls    bool // may be read by who may approve them

	Lease        time.Duration
	Slice        time.Duration
	Retention    time.Duration // zero: for good
	RecoverLimit int

	Agent       string // its folder's name, or [Scripted]
	Model       string // of agents that name none
	Endpoints   map[string]Endpoint
	Tokens      string            // where tokens of connections are; empty: nowhere
	BrokerKey   string            // refers to the secret that a broker of tokens knows us by
	ToolServers map[string]string // addresses that stand in for those of the agent's file
	Networks    []netip.Prefix    // that models and tool servers may be in, beside the Internet
	DeniedTools []string          // patterns of tools that no agent's file can allow

	samLocal bool
}

// ReadConfig reads and checks the settings of a function, which getenv gives by name. The error
// names the setting, in one line. AWS_SAM_LOCAL, which the sam command sets to true, makes replies
// buffered: it can't stream.
func ReadConfig(f Function, getenv func(string) string) (Config, error) {
	c := Config{samLocal: getenv("AWS_SAM_LOCAL") == "true", Streams: f == GRPC}
	for _, s := range f.Settings() {
		v := getenv(s.Name)
		if v == "" {
			v = s.Default
		}
		if strings.TrimSpace(v) != v {
			return Config{}, fmt.Errorf("%s is %q: there is space around it", s.Name, v)
		}
		if v == "" && s.Required {
			return Config{}, fmt.Errorf("%s is not set: %s", s.Name, s.Meaning)
		}
		if err := s.read(&c, v); err != nil {
			return Config{}, s.wrong(v, err)
		}
	}
	return c, nil
}

// wrong is the error of a value.
func (s Setting) wrong(v string, err error) error {
	if s.mute {
		return fmt.Errorf("%s is wrong: %w", s.Name, err)
	}
	return fmt.Errorf("%s is %q: %w", s.Name, v, err)
}

// Authenticator is who tells callers apart.
func (c Config) Authenticator() access.Authenticator {
	if c.Signed {
		return IAM(c.Subject)
	}
	return access.None
}

// Handler serves h as the integration wants its replies, streamed or buffered: what aws-lambda-go's
// Start takes.
func (c Config) Handler(h http.Handler, o Options) any {
	if c.Streams {
		return Streamed(h, o)
	}
	return Buffered(h, o)
}

// Emulated reports whether the program runs on somebody's own machine.
func (c Config) Emulated() bool { return c.samLocal || c.Endpoint != "" && !ofAWS(c.Endpoint) }

// ofAWS reports whether an endpoint is AWS itself, as a private one in somebody's network is.
func ofAWS(endpoint string) bool {
	u, err := url.Parse(endpoint)
	if err != nil {
		return true
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	return slices.ContainsFunc([]string{".amazonaws.com", ".amazonaws.com.cn", ".amazonaws.eu", ".api.aws"}, func(domain string) bool {
		return strings.HasSuffix(host, domain)
	})
}

// Waits of a blocking call: a gateway that streams ends an invocation after 5 minutes, one
// that buffers after 29 seconds.
const (
	streamedWait = 4*time.Minute + 30*time.Second
	bufferedWait = 25 * time.Second
)

func (c Config) longestWait() time.Duration {
	if c.Streams {
		return streamedWait
	}
	return bufferedWait
}

// errUnsigned says why a deployment does not start.
var errUnsigned = errors.New("only emulated AWS goes without authentication")
