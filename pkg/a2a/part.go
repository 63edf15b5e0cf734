package a2a

import (
	"encoding/json"
	"errors"
)

// Part is one piece of a message or an artifact (WIRE-04). Its content is exactly one of
// [Text], [Data], [URL] and [Raw].
type Part struct {
	Content   Content
	MediaType string
	Filename  string
	Metadata  Metadata
}

// Content is what a part holds: [Text], [Data], [URL] or [Raw].
type Content interface{ content() }

type (
	// Text is plain text.
	Text string
	// Data is one JSON value of any kind, null included, kept as it was written but for the
	// space between its tokens.
	Data json.RawMessage
	// URL is a file to be fetched from an address.
	URL string
	// Raw is a file's bytes; base64 in JSON.
	Raw []byte
)

func (Text) content() {}
func (Data) content() {}
func (URL) content()  {}
func (Raw) content()  {}

// MarshalJSON implements [json.Marshaler]. It fails for a part without content.
func (p Part) MarshalJSON() ([]byte, error) {
	fields := struct {
		Text      *string         `json:"text,omitempty"`
		Raw       *[]byte         `json:"raw,omitempty"`
		URL       *string         `json:"url,omitempty"`
		Data      json.RawMessage `json:"data,omitempty"`
		Metadata  Metadata        `json:"metadata,omitempty"`
		Filename  string          `json:"filename,omitempty"`
		MediaType string          `json:"mediaType,omitempty"`
	}{Metadata: p.Metadata, Filename: p.Filename, MediaType: p.MediaType}
	switch c := p.Content.(type) {
	case Text:
		fields.Text = (*string)(&c)
	case Raw:
		b := orEmpty([]byte(c))
		fields.Raw = &b
	case URL:
		fields.URL = (*string)(&c)
	case Data:
		if fields.Data = json.RawMessage(c); len(c) == 0 {
			fields.Data = json.RawMessage("null")
		}
	default:
		return nil, errors.New("a2a: a part has no content")
	}
	return Marshal(fields)
}

func (p *Part) read(o *object) {
	p.Metadata = o.metadata("metadata")
	p.Filename = o.text("filename")
	p.MediaType = o.text("mediaType")

	contents := make([]Content, 0, 1)
	if n, ok := o.field("text"); ok {
		contents = append(contents, Text(n.text()))
	}
	if n, ok := o.field("raw"); ok {
		contents = append(contents, Raw(n.bytes()))
	}
	if n, ok := o.field("url"); ok {
		contents = append(contents, URL(n.text()))
	}
	if n, ok := o.value("data"); ok {
		contents = append(contents, Data(n.json()))
	}
	if len(contents) != 1 {
		o.fail("must have exactly one of text, raw, url and data")
		return
	}
	p.Content = contents[0]
}
