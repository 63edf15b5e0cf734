package a2a

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep objects and arrays may nest in what comes from outside.
const MaxDepth = 100

// MaxValues is the most values of a request, those in arrays and objects too: each takes some hundred
// bytes of memory, however short it is.
const MaxValues = 100_000

// envelope is how much deeper content of MaxDepth may lie when it is read back: a message in the
// history of a task in a list in an answer, say.
const envelope = 8

// Marshal encodes v as A2A JSON (SPEC-12): like [json.Marshal], but without HTML escaping, so that
// values kept as they were written stay so. It fails where v holds a [Part] without content or a
// value that is not JSON.
func Marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// CheckJSON reports why a document from outside is refused before anything is read from it. The
// error is an [*Error]: [CodeParseError] for what is not one JSON value in valid Unicode,
// [CodeInvalidRequest] for nesting beyond [MaxDepth], for an object that has a name twice, which two
// readers could take differently, and for a number that no double holds, which has no form in gRPC.
func CheckJSON(body []byte) error {
	if e := checkJSON(body, MaxDepth, math.MaxInt); e != nil {
		return e
	}
	return nil
}

// CheckRequest is [CheckJSON] for what a caller sends: it holds it to [MaxValues] too.
func CheckRequest(body []byte) error {
	if e := checkJSON(body, MaxDepth, MaxValues); e != nil {
		return e
	}
	return nil
}

// CheckEnvelope is [CheckRequest] for a request of JSON-RPC, which is a level and some values around one.
func CheckEnvelope(body []byte) error {
	const members = 5
	if e := checkJSON(body, MaxDepth+1, MaxValues+members); e != nil {
		return e
	}
	return nil
}

func checkJSON(body []byte, depth, values int) *Error {
	if !utf8.Valid(body) || !json.Valid(body) {
		return ErrParse()
	}
	return checkStructure(body, depth, values)
}

// scope is an object or an array that has not ended yet.
type scope struct {
	object bool
	names  map[string]struct{}
}

// checkStructure checks what the grammar leaves open, in one pass over valid JSON.
func checkStructure(b []byte, depth, values int) *Error {
	var open []scope
	nameNext := false
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			if values--; len(open) == depth {
				return ErrInvalidRequest("The JSON nests more than " + strconv.Itoa(depth) + " levels deep")
			}
			nameNext = b[i] == '{'
			open = append(open, scope{object: nameNext})
		case '}', ']':
			open, nameNext = open[:len(open)-1], false
		case ',':
			if values--; values < 0 {
				return ErrInvalidRequest("The JSON has more than " + strconv.Itoa(MaxValues) + " values")
			}
			nameNext = open[len(open)-1].object
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			end := skipNumber(b, i)
			if !double(b[i:end]) {
				return ErrInvalidRequest("A number of the JSON is beyond the range of a double")
			}
			i = end - 1
		case '"':
			end := skipString(b, i)
			if !pairedSurrogates(b[i:end]) {
				return ErrParse()
			}
			if nameNext && !open[len(open)-1].add(unquote(b[i:end])) {
				return ErrInvalidRequest("An object of the JSON has a name twice")
			}
			i, nameNext = end-1, false
		}
	}
	return nil
}

// skipNumber is the end of the number that begins at i.
func skipNumber(b []byte, i int) int {
	for i < len(b) && strings.IndexByte("0123456789+-.eE", b[i]) >= 0 {
		i++
	}
	return i
}

// double reports whether a number is within the range of a double, with all its digits or not.
func double(number []byte) bool {
	if len(number) < 300 && !bytes.ContainsAny(number, "eE") {
		return true
	}
	_, err := strconv.ParseFloat(string(number), 64)
	return err == nil
}

// add reports whether name is new in the object.
func (s *scope) add(name string) bool {
	if s.names == nil {
		s.names = make(map[string]struct{}, 8)
	}
	n := len(s.names)
	s.names[name] = struct{}{}
	return len(s.names) > n
}

// pairedSurrogates reports whether every \u escape of a surrogate has its other half: a lone one
// stands for no character.
func pairedSurrogates(quoted []byte) bool {
	for {
		i := bytes.IndexByte(quoted, '\\')
		if i < 0 {
			return true
		}
		r, n := escaped(quoted[i:])
		if utf16.IsSurrogate(r) {
			low, m := escaped(quoted[i+n:])
			if utf16.DecodeRune(r, low) == utf8.RuneError {
				return false
			}
			n += m
		}
		quoted = quoted[i+n:]
	}
}

// escaped is the code unit of the \u escape that b begins with, and the length of the escape;
// 0 for any other escape.
func escaped(b []byte) (rune, int) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, 2
	}
	unit, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	if err != nil {
		return 0, 2
	}
	return rune(unit), 6
}
