package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/interlude-a2a/interlude/pkg/harness/definition"
)

// card is interlude card.
type card struct {
	Folders []string `arg:"" help:"Folders of AGENT.md files."`
	Out     string   `help:"Write <folder's name>.json files into this folder, rather than to the standard output." placeholder:"FOLDER"`
}

// Run makes the cards. Where and by which bindings an agent is served is added when it is.
func (c *card) Run(out io.Writer) error {
	if c.Out != "" {
		if err := os.MkdirAll(c.Out, 0o755); err != nil {
			return err
		}
	}
	for _, folder := range c.Folders {
		d, err := definition.Load(os.DirFS(folder))
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(folder, definition.File), err)
		}
		b, err := json.MarshalIndent(d.AgentCard(), "", "  ")
		if err != nil {
			return err
		}
		if c.Out == "" {
			fmt.Fprintf(out, "%s\n", b)
		} else if err := os.WriteFile(filepath.Join(c.Out, filepath.Base(folder)+".json"), b, 0o644); err != nil {
			return err
		}
	}
	return nil
}
