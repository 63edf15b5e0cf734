package sqs

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/interlude-a2a/interlude/pkg/queue"
)

// unsendable escapes the two characters that JSON allows in a string and SQS in no body.
var unsendable = strings.NewReplacer("\ufffe", `\ufffe`, "\uffff", `\uffff`)

func body(p queue.Poke) (string, error) {
	b, err := json.Marshal(p)
	if err != nil {
		return "", fmt.Errorf("sqs: encode a poke: %w", err)
	}
	return unsendable.Replace(string(b)), nil
}

// Parse reads the body of a message that [Queue.Send] sent. Fields that it does not know are from
// a newer version and ignored. What is no poke, or names no task, is an error that repeats nothing
// of the body.
func Parse(body string) (queue.Poke, error) {
	var p queue.Poke
	if err := json.Unmarshal([]byte(body), &p); err != nil {
		return queue.Poke{}, errors.New("sqs: the message is no poke")
	}
	if p.Key.ID == "" {
		return queue.Poke{}, errors.New("sqs: the message names no task: key.id is empty")
	}
	return p, nil
}
