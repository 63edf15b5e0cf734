package tracker

import (
	"net"
	"net/http"
	"time"
)

// port is where agents/coder has its tracker.
const port = "8090"

// URL is where an agent's file says that a tracker of this machine is.
const URL = "http://localhost:" + port + "/mcp"

// Serve serves a tracker on this machine, on port 8090 if that is free, until stop is called.
func Serve() (url string, stop func(), err error) {
	l, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		l, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return "", nil, err
	}
	s := &http.Server{Handler: New(Options{}), ReadHeaderTimeout: 10 * time.Second}
	go s.Serve(l)
	return "http://" + l.Addr().String() + "/mcp", func() { s.Close() }, nil
}
