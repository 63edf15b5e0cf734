package a2a

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxDepth is how deep objects and arrays may nest in what comes from outside.
const MaxDepth = 100

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
// [CodeInvalidRequest] for nesting beyond [MaxDepth] and for an object that has a name twice,
// which two readers could take differently.
func CheckJSON(body []byte) error {
	if e := checkJSON(body, MaxDepth); e != nil {
		return e
	}
	return nil
}

func checkJSON(body []byte, depth int) *Error {
	if !utf8.Valid(body) || !json.Valid(body) {
		return ErrParse()
	}
	return checkStructure(body, depth)
}

// scope is an object or an array that has not ended yet.
type scope struct {
	object bool
	names  map[string]struct{}
}

// checkStructure checks what the grammar leaves open, in one pass over valid JSON.
func checkStructure(b []byte, depth int) *Error {
	var open []scope
	nameNext := false
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			if len(open) == depth {
				return ErrInvalidRequest("The JSON nests more than " + strconv.Itoa(depth) + " levels deep")
			}
			nameNext = b[i] == '{'
			open = append(open, scope{object: nameNext})
		case '}', ']':
			open, nameNext = open[:len(open)-1], false
		case ',':
			nameNext = open[len(open)-1].object
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
