package tool

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// maxName is the most that every model API takes of a tool's name, in bytes.
const maxName = 64

// Names are the names by which a model knows tools, in their order: server__tool, in letters,
// digits, _ and -. A name that would be too long, or another's, ends in a hash of server and tool
// instead. They are for looking up, never for taking apart.
func Names(tools []Tool) []string {
	names := make([]string, len(tools))
	count := map[string]int{}
	for i, t := range tools {
		names[i] = clean(t.Server) + "__" + clean(t.Name)
		count[names[i]]++
	}
	for i, t := range tools {
		if len(names[i]) > maxName || count[names[i]] > 1 {
			names[i] = hashed(names[i], t)
		}
	}
	return names
}

// clean leaves a name only what models take.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '-':
			return c
		}
		return '_'
	}, s)
}

func hashed(name string, t Tool) string {
	sum := sha256.Sum256([]byte(t.Server + "/" + t.Name))
	end := "_" + hex.EncodeToString(sum[:4])
	return name[:min(len(name), maxName-len(end))] + end
}
