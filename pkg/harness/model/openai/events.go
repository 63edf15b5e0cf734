package openai

import (
	"bufio"
	"bytes"
	"io"
	"iter"
)

// maxLine is the longest line of a stream in bytes.
const maxLine = 1 << 20

// events yields the data of each event of a stream.
func events(stream io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		lines := bufio.NewScanner(stream)
		lines.Buffer(make([]byte, 0, 64<<10), maxLine)
		lines.Split(splitLines)
		var data []byte
		some := false
		for first := true; lines.Scan(); first = false {
			line := lines.Bytes()
			if first {
				line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
			}
			if len(line) == 0 {
				if some && !yield(data, nil) {
					return
				}
				data, some = nil, false
				continue
			}
			name, value, _ := bytes.Cut(line, []byte(":"))
			if string(name) != "data" { // a comment, or a field that says nothing here
				continue
			}
			if some {
				data = append(data, '\n')
			}
			data, some = append(data, bytes.TrimPrefix(value, []byte(" "))...), true
		}
		if err := lines.Err(); err != nil {
			if err == bufio.ErrTooLong {
				err = errTooLong
			}
			yield(nil, err)
			return
		}
		if some { // the last event may lack its empty line
			yield(data, nil)
		}
	}
}

// splitLines cuts at LF, CRLF and CR, as event streams do.
func splitLines(data []byte, atEOF bool) (advance int, line []byte, err error) {
	i := bytes.IndexAny(data, "\r\n")
	switch {
	case i < 0 && atEOF && len(data) > 0:
		return len(data), data, nil
	case i < 0:
		return 0, nil, nil
	case data[i] == '\n':
		return i + 1, data[:i], nil
	case i+1 < len(data):
		if data[i+1] == '\n' {
			return i + 2, data[:i], nil
		}
		return i + 1, data[:i], nil
	case atEOF:
		return i + 1, data[:i], nil
	}
	return 0, nil, nil // a CR at the end: an LF may follow
}
