package tracker

import "slices"

type issue struct {
	Number   int      `json:"number"`
	Title    string   `json:"title"`
	Body     string   `json:"body,omitempty"`
	Labels   []string `json:"labels,omitempty"`
	Comments []string `json:"comments,omitempty"`
}

func seed() []issue {
	return []issue{
		{Number: 1, Title: "The build fails on arm64", Body: "The linker runs out of memory.", Labels: []string{"bug"}},
		{Number: 2, Title: "Say in the README how to install", Body: "People ask every week."},
	}
}

func (i *issue) label(name string) {
	if !slices.Contains(i.Labels, name) {
		i.Labels = append(i.Labels, name)
	}
}

func (i issue) clone() issue {
	i.Labels, i.Comments = slices.Clone(i.Labels), slices.Clone(i.Comments)
	return i
}

func (t *Tracker) list() []issue {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := make([]issue, len(t.issues))
	for i := range t.issues {
		out[i] = t.issues[i].clone()
	}
	return out
}

// change edits an issue and returns it as it then is.
func (t *Tracker) change(number int, edit func(*issue)) (issue, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.find(number)
	if i < 0 {
		return issue{}, noIssue(number)
	}
	edit(&t.issues[i])
	return t.issues[i].clone(), nil
}

func (t *Tracker) open(in written) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	t.issues = append(t.issues, issue{Number: t.last, Title: in.Title, Body: in.Body})
	return t.last
}

func (t *Tracker) propose() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last++
	return t.last
}

func (t *Tracker) remove(number int) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.find(number)
	if i < 0 {
		return noIssue(number)
	}
	t.issues = slices.Delete(t.issues, i, i+1)
	return nil
}

func (t *Tracker) find(number int) int {
	return slices.IndexFunc(t.issues, func(i issue) bool { return i.Number == number })
}
