package runtimeapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Streamed is the media type of a reply that begins with a prelude.
const Streamed = "application/vnd.awslambda.http-integration-response"

// Piece is a part of a reply as it came.
type Piece struct {
	Data []byte
	At   time.Time
}

// Reply is a function's reply, perhaps not yet whole.
type Reply struct {
	ContentType string

	// Of a streamed reply, by its prelude.
	Status int
	Header http.Header

	pieces chan Piece
	failed chan error // gets one, after the pieces
	held   []Piece    // came with the prelude
}

func newReply(contentType string) *Reply {
	return &Reply{ContentType: contentType, pieces: make(chan Piece, 1024), failed: make(chan error, 1)}
}

// Next waits for the next piece. The error is [io.EOF] where the reply ended as it should, and an
// *[Error] where the function says that it did not.
func (r *Reply) Next() (Piece, error) {
	if len(r.held) > 0 {
		p := r.held[0]
		r.held = r.held[1:]
		return p, nil
	}
	p, ok := <-r.pieces
	if !ok {
		err := <-r.failed
		r.failed <- err
		return Piece{}, err
	}
	return p, nil
}

// Rest is all that is still to come. A reply that ends as it should has no error.
func (r *Reply) Rest() ([]byte, error) {
	var all []byte
	for {
		p, err := r.Next()
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		all = append(all, p.Data...)
	}
}

// pass takes a request's body as it comes, to its end.
func (r *Reply) pass(from *http.Request) {
	for {
		b := make([]byte, 32<<10)
		n, err := from.Body.Read(b)
		if n > 0 {
			r.pieces <- Piece{b[:n], time.Now()}
		}
		if err == io.EOF && from.Trailer.Get("Lambda-Runtime-Function-Error-Type") != "" {
			body := base64.NewDecoder(base64.StdEncoding, strings.NewReader(from.Trailer.Get("Lambda-Runtime-Function-Error-Body")))
			err = readError(body)
		}
		if err != nil {
			r.end(err)
			return
		}
	}
}

func (r *Reply) end(err error) {
	r.failed <- err
	close(r.pieces)
}

// delimiter ends a prelude.
var delimiter = make([]byte, 8)

// begin reads the prelude of a streamed reply, or the first piece of another.
func (r *Reply) begin() error {
	var got []byte
	for {
		p, err := r.Next()
		if err == io.EOF && r.ContentType != Streamed {
			return nil
		}
		if err != nil {
			return err
		}
		if r.ContentType != Streamed {
			r.held = append(r.held, p)
			return nil
		}
		got = append(got, p.Data...)
		if prelude, rest, ok := bytes.Cut(got, delimiter); ok {
			if len(rest) > 0 {
				r.held = append(r.held, Piece{rest, p.At})
			}
			return r.readPrelude(prelude)
		}
	}
}

func (r *Reply) readPrelude(b []byte) error {
	var prelude struct {
		StatusCode        int
		Headers           map[string]string
		MultiValueHeaders map[string][]string
	}
	if err := json.Unmarshal(b, &prelude); err != nil {
		return fmt.Errorf("runtimeapi: the prelude: %w", err)
	}
	if prelude.StatusCode == 0 {
		return fmt.Errorf("runtimeapi: the prelude %s has no status", b)
	}
	r.Status, r.Header = prelude.StatusCode, http.Header{}
	for name, value := range prelude.Headers {
		r.Header.Set(name, value)
	}
	for name, values := range prelude.MultiValueHeaders {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	return nil
}
