package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/task"
)

// sendMessage starts a task or continues one, and waits for it unless told not to (SPEC-05).
func (s *Server) sendMessage(ctx context.Context, c CallContext, req a2a.SendMessageRequest) (any, error) {
	now, err := s.send(ctx, c, req)
	if err != nil {
		return nil, err
	}
	if !req.Configuration.ReturnImmediately {
		now = s.wait(ctx, now)
	}
	view := viewOf(c)
	if r := now.record; r.Bare && !req.Configuration.ReturnImmediately && r.Status.Message != nil {
		return a2a.SendMessageResponse{Message: view.bare(*r.Status.Message)}, nil
	}
	t := view.task(now, req.Configuration.HistoryLength)
	return a2a.SendMessageResponse{Task: &t}, nil
}

// send starts a task or continues one.
func (s *Server) send(ctx context.Context, c CallContext, req a2a.SendMessageRequest) (standing, error) {
	if err := s.checkMessage(req); err != nil {
		return standing{}, err
	}
	if err := checkIdempotencyKey(c.IdempotencyKey); err != nil {
		return standing{}, err
	}
	if req.Message.TaskID != "" {
		return s.answer(ctx, c, req)
	}
	return s.start(ctx, c, req)
}

// checkMessage holds a message to what this server takes, beyond its form.
func (s *Server) checkMessage(req a2a.SendMessageRequest) error {
	if req.Configuration.TaskPushNotificationConfig != nil {
		return a2a.ErrPushNotificationNotSupported()
	}
	if req.Message.Role != a2a.RoleUser {
		return a2a.ErrInvalidParams("message.role", "must be ROLE_USER")
	}
	if len(req.Message.Parts) > s.o.MaxParts {
		return a2a.ErrInvalidParams("message.parts", fmt.Sprintf("must be at most %d", s.o.MaxParts))
	}
	if err := checkSize("message", req.Message, s.o.MaxMessage); err != nil {
		return err
	}
	if err := checkSize("configuration.acceptedOutputModes", req.Configuration.AcceptedOutputModes, maxOutputModes); err != nil {
		return err
	}
	for _, p := range req.Message.Parts {
		if p.MediaType != "" && !accepts(s.o.Card.DefaultInputModes, p.MediaType) {
			return a2a.ErrContentTypeNotSupported(p.MediaType)
		}
	}
	return nil
}

// checkSize holds a field to a number of bytes of JSON.
func checkSize(field string, value any, most int) error {
	if b, err := a2a.Marshal(value); err != nil || len(b) > most {
		return a2a.ErrInvalidParams(field, fmt.Sprintf("must be at most %d bytes of JSON", most))
	}
	return nil
}

// maxOutputModes is the most bytes of the media types that a caller takes: its task keeps them where
// there is little room.
const maxOutputModes = 4 << 10

// maxIdempotencyKey is the most bytes of an idempotency key.
const maxIdempotencyKey = 256

func checkIdempotencyKey(key string) error {
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if len(key) > maxIdempotencyKey || strings.ContainsFunc(key, unprintable) {
		return a2a.ErrInvalidParams("Idempotency-Key", "must be at most 256 printable ASCII characters")
	}
	return nil
}

// standing is a task as it stands: its record and all its events.
type standing struct {
	record *task.Record
	events []task.Event
}

// start makes a task of a message. The create and its poke go out side by side: either order is
// safe, and a poke that can't be sent fails nothing.
func (s *Server) start(ctx context.Context, c CallContext, req a2a.SendMessageRequest) (standing, error) {
	if interaction.IsAnswer(req.Message) {
		return standing{}, a2a.ErrInvalidParams("message.taskId", "must name the task whose interaction is answered")
	}
	id := task.NewTaskID()
	if c.IdempotencyKey != "" {
		secret, err := s.secret(ctx)
		if err != nil {
			return standing{}, err
		}
		id = task.DerivedTaskID(secret, c.scope(), c.IdempotencyKey)
	}
	contextID := req.Message.ContextID
	if contextID == "" {
		contextID = task.NewID()
	}
	r, events := task.Accept(task.Acceptance{
		Key:         c.key(id),
		ContextID:   contextID,
		Message:     req.Message,
		Principal:   c.Principal,
		OutputModes: req.Configuration.AcceptedOutputModes,
		Born:        task.NewID(),
		Streams:     c.streams,
		Shown:       req.Configuration.ReturnImmediately || c.streams,
		At:          s.o.Now(),
	})
	var poke sync.WaitGroup
	poke.Go(func() { s.poke(ctx, r) })
	met, err := s.create(ctx, r, events)
	poke.Wait()
	switch {
	case err != nil:
		return standing{}, err
	case met.Born != r.Born: // the task that an earlier call made under this key
		return s.read(ctx, r.Key)
	}
	return standing{r, events}, nil
}

// create adds a task and returns its record, or that of the task which answers the call all the
// same.
func (s *Server) create(ctx context.Context, r *task.Record, events []task.Event) (*task.Record, error) {
	for try := 0; ; try++ {
		err := s.o.Store.Create(ctx, r, events)
		var refused *task.Refused
		switch {
		case err == nil:
			return r, nil
		case errors.As(err, &refused) && refused.Current != nil:
			return refused.Current, task.Created(r, refused.Current)
		case errors.Is(err, task.ErrFull):
			return nil, &a2a.Error{Code: a2a.CodeInternal, Message: "The agent has too many unfinished tasks to take another"}
		case !task.Backoff(ctx, try):
			return nil, err
		}
	}
}

// pokeTime bounds the sending of a poke.
const pokeTime = 10 * time.Second

// poke tells the workers of a task, even if the caller went away after its write.
func (s *Server) poke(ctx context.Context, r *task.Record) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), pokeTime)
	defer cancel()
	err := s.o.Queue.Send(ctx, queue.Poke{Key: r.Key, Hint: r.Status.State}, 0)
	if err != nil {
		s.o.OnError(fmt.Errorf("poke task %s: %w", r.ID, err))
	}
}

// read reads a whole task.
func (s *Server) read(ctx context.Context, k task.Key) (standing, error) {
	r, events, err := s.o.Store.Read(ctx, k, 0)
	if errors.Is(err, task.ErrNotFound) {
		return standing{}, a2a.ErrTaskNotFound(k.ID)
	}
	return standing{r, events}, err
}
