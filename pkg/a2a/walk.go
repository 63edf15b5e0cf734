package a2a

import (
	"bytes"
	"encoding/json"
	"iter"
)

// The functions of this file walk JSON that CheckJSON found valid, without copying it.

// members yields the names and values of an object, in order.
func members(object []byte) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for i := skipSpace(object, 1); object[i] != '}'; {
			colon := skipString(object, i)
			name := unquote(object[i:colon])
			start := skipSpace(object, skipSpace(object, colon)+1)
			end := skipValue(object, start)
			if !yield(name, object[start:end]) {
				return
			}
			i = skipComma(object, end)
		}
	}
}

// elements yields the values of an array, in order.
func elements(array []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for i := skipSpace(array, 1); array[i] != ']'; {
			end := skipValue(array, i)
			if !yield(array[i:end]) {
				return
			}
			i = skipComma(array, end)
		}
	}
}

// skipSpace is where the first character at or after i that is no space stands.
func skipSpace(b []byte, i int) int {
	for b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r' {
		i++
	}
	return i
}

// skipComma is where the next name or value begins, or the object or array ends.
func skipComma(b []byte, i int) int {
	i = skipSpace(b, i)
	if b[i] == ',' {
		i = skipSpace(b, i+1)
	}
	return i
}

// skipString is the end of the string that begins at i.
func skipString(b []byte, i int) int {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			i++
		}
	}
	return i + 1
}

// skipValue is the end of the value that begins at i inside an object or an array.
func skipValue(b []byte, i int) int {
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipNested(b, i)
	}
	return i + bytes.IndexAny(b[i:], ",]} \n\t\r")
}

// skipNested is the end of the object or array that begins at i.
func skipNested(b []byte, i int) int {
	for depth := 0; ; i++ {
		switch b[i] {
		case '"':
			i = skipString(b, i) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
}

// unquote is the text of a JSON string.
func unquote(quoted []byte) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return string(quoted[1 : len(quoted)-1])
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // It is a valid string.
	return s
}
