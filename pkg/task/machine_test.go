package task_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/interlude-a2a/interlude/pkg/a2a"
	"github.com/interlude-a2a/interlude/pkg/interaction"
	"github.com/interlude-a2a/interlude/pkg/task"
)

var update = flag.Bool("update", false, "write states.md anew")

// machine says what every command makes of every situation of a task: the letter of the next
// state, or how it is refused. It is checked against the rules, and states.md is made from it.
const machine = `
                   submitted  free       held       lapsed     torn       queued     question   approval   connection completed  failed     canceled   rejected
claim              W          W          later      W          later      later      done       done       done       done       done       done       done
renew              lost       lost       W          W          W          W          lost       lost       lost       lost       lost       lost       lost
take_over          same       same       same       same       A          same       same       same       same       same       same       same       same
step               lost       lost       W          W          W          W          lost       lost       lost       lost       lost       lost       lost
intent             lost       lost       W          W          fails      W          lost       lost       lost       lost       lost       lost       lost
intent_unapproved  lost       lost       fails      fails      fails      fails      lost       lost       lost       lost       lost       lost       lost
pause_question     lost       lost       I          I          I          I          lost       lost       lost       lost       lost       lost       lost
pause_approval     lost       lost       A          A          A          I          lost       lost       lost       lost       lost       lost       lost
pause_connection   lost       lost       A          A          A          I          lost       lost       lost       lost       lost       lost       lost
pause_on_nothing   lost       lost       fails      fails      fails      I          lost       lost       lost       lost       lost       lost       lost
yield              lost       lost       W          W          W          W          lost       lost       lost       lost       lost       lost       lost
complete           lost       lost       C          C          C          C          lost       lost       lost       lost       lost       lost       lost
fail               lost       lost       F          F          F          F          lost       lost       lost       lost       lost       lost       lost
reject             lost       lost       R          R          R          R          lost       lost       lost       lost       lost       lost       lost
answer             -32004     -32004     -32004     -32004     -32004     -32004     W          W          W          -32004     -32004     -32004     -32004
answer_in_words    -32004     -32004     -32004     -32004     -32004     -32004     W          -32004     -32004     -32004     -32004     -32004     -32004
answer_again       -32004     same       same       same       same       same       same       same       same       same       same       same       same
expire             same       same       same       same       same       same       W          W          W          same       same       same       same
cancel             X          X          X          X          X          X          X          X          X          -32002     -32002     same       -32002
start_pushes       S          W          W          W          W          W          I          A          A          C          F          X          R
mark               S          W          W          W          W          W          I          A          A          C          F          X          R
`

var letters = map[string]a2a.TaskState{
	"S": a2a.TaskStateSubmitted, "W": a2a.TaskStateWorking,
	"I": a2a.TaskStateInputRequired, "A": a2a.TaskStateAuthRequired,
	"C": a2a.TaskStateCompleted, "F": a2a.TaskStateFailed, "X": a2a.TaskStateCanceled, "R": a2a.TaskStateRejected,
}

// situations are the columns of machine: each but the first has taken an answer, "m-seen", and has
// the effects eff_ok, approved, and eff_held.
var situations = map[string]func(*testing.T) *story{
	"submitted": func(t *testing.T) *story { return accepted(t) },
	"free":      func(t *testing.T) *story { return answered(t).yield() },
	"held":      answered,
	"lapsed":    func(t *testing.T) *story { return answered(t).later(lease + task.ClaimMargin) },
	"torn": func(t *testing.T) *story {
		return answered(t).intent("eff_ok").later(time.Hour).claim()
	},
	"queued": func(t *testing.T) *story {
		return answered(t).pause(question("eff_1"), question("eff_2")).answer(text("m-1", "yes")).claim()
	},
	"question":   func(t *testing.T) *story { return answered(t).pause(question("eff_open")) },
	"approval":   func(t *testing.T) *story { return answered(t).pause(approval("eff_held")) },
	"connection": func(t *testing.T) *story { return answered(t).pause(connection("eff_open")) },
	"completed":  func(t *testing.T) *story { return answered(t).finish(a2a.TaskStateCompleted) },
	"failed":     func(t *testing.T) *story { return answered(t).finish(a2a.TaskStateFailed) },
	"canceled":   func(t *testing.T) *story { return answered(t).cancel() },
	"rejected":   func(t *testing.T) *story { return answered(t).finish(a2a.TaskStateRejected) },
}

// patience is how long an interaction of a second run stays open.
const patience = 24 * time.Hour

func connection(id string) interaction.Interaction {
	return interaction.NewConnection(id, "calendar", "to find a date")
}

// answered is a story whose second run holds the task.
func answered(t *testing.T) *story {
	s := accepted(t).claim().pause(question("eff_first")).answer(text("m-seen", "this one")).claim()
	return s.step(task.Step{Patience: patience, Plan: []task.Effect{
		effect("eff_ok", task.ClassWrite, task.EffectApproved), effect("eff_held", task.ClassWrite, task.EffectHeld),
	}})
}

// commands are the rows of machine.
var commands = map[string]func(*testing.T, *story) string{
	"claim": func(t *testing.T, s *story) string {
		c := task.Claim(s.rec, claiming("claim", s.now))
		switch {
		case c != nil:
			return outcome(t, s, c, nil)
		case s.rec.Live():
			return "later"
		}
		return "done"
	},
	"renew": func(t *testing.T, s *story) string {
		if (task.Guard{Fence: s.rec.Fence, LeaseID: s.lease}).Holds(s.rec) {
			return letter(s.rec)
		}
		return "lost"
	},
	"take_over": func(t *testing.T, s *story) string { return outcome(t, s, task.Takeover(s.rec, s.command()), nil) },
	"step": func(t *testing.T, s *story) string {
		c, err := task.Advance(s.rec, task.Step{Rows: []task.Row{{Name: "step"}}}, s.command())
		return outcome(t, s, c, err)
	},
	"intent": func(t *testing.T, s *story) string {
		c, err := task.Intent(s.rec, "eff_ok", s.command())
		return outcome(t, s, c, err)
	},
	"intent_unapproved": func(t *testing.T, s *story) string {
		c, err := task.Intent(s.rec, "eff_held", s.command())
		return outcome(t, s, c, err)
	},
	"pause_question":   pausing(question("eff_new")),
	"pause_approval":   pausing(approval("eff_held")),
	"pause_connection": pausing(connection("eff_new")),
	"pause_on_nothing": pausing(),
	"yield": func(t *testing.T, s *story) string {
		c, err := task.Yield(s.rec, task.Step{}, s.command())
		return outcome(t, s, c, err)
	},
	"complete":        finishing(a2a.TaskStateCompleted),
	"fail":            finishing(a2a.TaskStateFailed),
	"reject":          finishing(a2a.TaskStateRejected),
	"answer_in_words": replying(func(*task.Record) a2a.Message { return text("m-new", "that one") }),
	"answer_again":    replying(func(*task.Record) a2a.Message { return text("m-seen", "this one") }),
	"answer": replying(func(r *task.Record) a2a.Message {
		open, ok := r.Open()
		if !ok {
			open.ID = "eff_held"
		}
		return reply("m-new", open.ID, `"approved":true`)
	}),
	"expire": func(t *testing.T, s *story) string {
		w := s.command()
		w.At = w.At.Add(patience)
		c, err := task.Expire(s.rec, w)
		return outcome(t, s, c, err)
	},
	"cancel": func(t *testing.T, s *story) string {
		c, err := task.Cancel(s.rec, s.command())
		return outcome(t, s, c, err)
	},
	"start_pushes": func(t *testing.T, s *story) string {
		return outcome(t, s, task.StartPushes(s.rec, s.command()), nil)
	},
	"mark": func(t *testing.T, s *story) string {
		return letter(s.rec.Marked(s.rec.Revision, s.rec.LastStatus))
	},
}

// command is the write of a command: the same however often it is asked for.
func (s *story) command() task.Write { return task.Write{ID: "command", At: s.now} }

func pausing(asks ...interaction.Interaction) func(*testing.T, *story) string {
	return func(t *testing.T, s *story) string {
		c, err := task.Pause(s.rec, asks, task.Step{}, s.command())
		return outcome(t, s, c, err)
	}
}

func finishing(state a2a.TaskState) func(*testing.T, *story) string {
	return func(t *testing.T, s *story) string {
		c, err := task.Finish(s.rec, task.Ending{State: state, Message: agentText("Done.")}, task.Step{}, nil, s.command())
		return outcome(t, s, c, err)
	}
}

func replying(message func(*task.Record) a2a.Message) func(*testing.T, *story) string {
	return func(t *testing.T, s *story) string {
		c, err := task.Answer(s.rec, answering(t, message(s.rec)), s.command())
		return outcome(t, s, c, err)
	}
}

// outcome is the entry of machine that a rule's result is.
func outcome(t *testing.T, s *story, c *task.Change, err error) string {
	var refused *a2a.Error
	var broken *task.AgentError
	switch {
	case errors.Is(err, task.ErrNotHeld):
		return "lost"
	case errors.As(err, &refused):
		return strconv.Itoa(refused.Code)
	case errors.As(err, &broken):
		return "fails"
	case err != nil:
		return err.Error()
	case c == nil:
		return "same"
	}
	if !c.Guard.Admits(s.rec) {
		t.Errorf("the guard %+v does not admit the record the change was made of", c.Guard)
	}
	return letter(c.Apply(s.rec))
}

func letter(r *task.Record) string {
	for l, state := range letters {
		if r.Status.State == state {
			return l
		}
	}
	return string(r.Status.State)
}

// cell is one entry of machine.
type cell struct{ command, situation, want string }

// cells reads machine, column by column of each row.
func cells(t *testing.T) (situations []string, rows [][]cell) {
	t.Helper()
	lines := strings.Split(strings.Trim(machine, "\n"), "\n")
	situations = strings.Fields(lines[0])
	for _, line := range lines[1:] {
		f := strings.Fields(line)
		if len(f) != len(situations)+1 {
			t.Fatalf("row %q has %d entries, want %d", f[0], len(f)-1, len(situations))
		}
		var row []cell
		for i, want := range f[1:] {
			row = append(row, cell{f[0], situations[i], want})
		}
		rows = append(rows, row)
	}
	return situations, rows
}

// Every command in every situation does what the table says, leaves the record it was given alone,
// and does the same when it is asked again.
func TestMachine(t *testing.T) {
	t.Parallel()
	columns, rows := cells(t)
	if len(columns) != len(situations) || len(rows) != len(commands) {
		t.Errorf("the table has %d situations and %d commands, want %d and %d", len(columns), len(rows), len(situations), len(commands))
	}
	for _, c := range slices.Concat(rows...) {
		t.Run(c.command+"/"+c.situation, func(t *testing.T) {
			s := situations[c.situation](t)
			before := copyOf(t, s.rec)
			for range 2 {
				if got := commands[c.command](t, s); got != c.want {
					t.Errorf("got %s, want %s", got, c.want)
				}
				if d := diff(before, s.rec); d != "" {
					t.Fatalf("the record it was given changed (-before +after):\n%s", d)
				}
			}
		})
	}
}

// states.md tells what machine says.
func TestStatesPage(t *testing.T) {
	t.Parallel()
	want := statesPage(t)
	if *update {
		if err := os.WriteFile("states.md", []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("states.md")
	if err != nil {
		t.Fatal(err)
	}
	if d := diff(want, string(got)); d != "" {
		t.Errorf("states.md is stale; run go test -run TestStatesPage -update (-want +got):\n%s", d)
	}
}

func statesPage(t *testing.T) string {
	columns, rows := cells(t)
	var b strings.Builder
	b.WriteString(`# The states of a task

Made by TestStatesPage from the table that TestMachine holds against the rules; not written by hand.

` + "```mermaid\nstateDiagram-v2\n    [*] --> SUBMITTED: accept\n" + edges(t, rows) + "```" + `

A working task is free (between two runs), held by a run's lease, lapsed (its lease ended more than
the claim margin ago), torn (held by the run after one that was lost while a write call of it was
out), or queued (held, with a question left that is not open yet). An entry is the state that follows, or:

| entry | meaning |
| --- | --- |
| later | a live lease holds the task |
| done | there is nothing to work on |
| lost | no run holds the task: nothing is written |
| fails | the agent did what it must not: the task is failed |
| same | allowed, and nothing is left to write |
| −32004, −32002 | the A2A error of the caller |

`)
	b.WriteString("| command | " + strings.Join(columns, " | ") + " |\n|" + strings.Repeat(" --- |", len(columns)+1) + "\n")
	for _, row := range rows {
		b.WriteString("| " + words(row[0].command) + " |")
		for _, c := range row {
			b.WriteString(" " + entry(c.want) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// edges are the arrows between two states, with the commands that go along them.
func edges(t *testing.T, rows [][]cell) string {
	var order []string
	labels := map[string][]string{}
	for _, c := range slices.Concat(rows...) {
		from, to := situations[c.situation](t).rec.Status.State, letters[c.want]
		if to == "" || from == to {
			continue
		}
		edge := fmt.Sprintf("    %s --> %s: ", short(from), short(to))
		if labels[edge] == nil {
			order = append(order, edge)
		}
		if name := words(c.command); !slices.Contains(labels[edge], name) {
			labels[edge] = append(labels[edge], name)
		}
	}
	slices.Sort(order)
	var b strings.Builder
	for _, edge := range order {
		b.WriteString(edge + strings.Join(labels[edge], ", ") + "\n")
	}
	return b.String()
}

func words(name string) string { return strings.ReplaceAll(name, "_", " ") }

func short(s a2a.TaskState) string { return strings.TrimPrefix(string(s), "TASK_STATE_") }

func entry(want string) string {
	if state, ok := letters[want]; ok {
		return short(state)
	}
	return strings.Replace(want, "-", "−", 1)
}
