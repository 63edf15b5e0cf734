package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	cards "github.com/interlude-a2a/interlude/pkg/card"
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
	made := map[string]string{}
	for _, folder := range c.Folders {
		whole, err := filepath.Abs(folder) // which has a name for . too
		if err != nil {
			return err
		}
		name := filepath.Base(whole)
		if other, ok := made[name]; ok && c.Out != "" {
			return fmt.Errorf("%s and %s have one name, and so would their cards", other, folder)
		}
		made[name] = folder
		d, err := definition.Load(os.DirFS(folder))
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(folder, definition.File), err)
		}
		more, err := definition.LoadExtendedCard(os.DirFS(folder))
		if err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
		if err := c.write(out, name+cards.File, d.AgentCard()); err != nil {
			return err
		}
		if more == nil {
			continue
		}
		if err := c.write(out, name+cards.ExtendedFile, more); err != nil {
			return err
		}
	}
	return nil
}

func (c *card) write(out io.Writer, name string, content any) error {
	b, err := json.MarshalIndent(content, "", "  ")
	if err != nil {
		return err
	}
	if c.Out == "" {
		_, err = fmt.Fprintf(out, "%s\n", b)
		return err
	}
	return os.WriteFile(filepath.Join(c.Out, name), b, 0o644)
}
