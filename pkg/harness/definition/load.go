package definition

import (
	"bytes"
	"fmt"
	"io/fs"
	"path"
)

// File is the name of an agent's file in its folder.
const File = "AGENT.md"

// Load reads an agent's folder: its file, and the skills that it names, whose texts join the
// instructions.
func Load(dir fs.FS) (*Definition, error) {
	file, err := fs.ReadFile(dir, File)
	if err != nil {
		return nil, err
	}
	d, err := Parse(file)
	if err != nil {
		return nil, err
	}
	parts := [][]byte{file}
	for _, name := range d.Skills {
		skill, err := fs.ReadFile(dir, path.Join(name, "SKILL.md"))
		if err != nil {
			return nil, Problems{{Text: fmt.Sprintf("skill %s: there is no %s/SKILL.md", name, name)}}
		}
		if len(skill) > MaxSize {
			return nil, Problems{{Text: fmt.Sprintf("skill %s has %d bytes; the limit is %d", name, len(skill), MaxSize)}}
		}
		if found := secretsIn(skill, 1); len(found) > 0 {
			return nil, Problems{{Text: fmt.Sprintf("skill %s, %v", name, found[0])}}
		}
		parts = append(parts, skill)
		if _, body, err := split(skill); err == nil {
			skill = body
		}
		d.Instructions += fmt.Sprintf("\n\n# Skill: %s\n\n%s", name, bytes.TrimSpace(skill))
	}
	d.Hash = hash(parts...)
	return d, nil
}
