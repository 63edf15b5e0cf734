package task

// Owes reports whether a status has not been handed to the push queue yet.
func (r *Record) Owes() bool { return r.Pushed != nil && *r.Pushed < r.LastStatus }

// StartPushes begins to push: everything after the status as it stands. It returns nil if that has
// begun: later push configs of the task change nothing here.
func StartPushes(r *Record, w Write) *Change {
	if r.Pushed != nil {
		return nil
	}
	c := begin(r, r.Guard(), w)
	c.SetPushed, c.Next.Pushed = true, new(r.LastStatus)
	return c
}

// Marked is r after all its statuses up to pushed were handed to the push queue: the mark only
// rises. Wake is moved to when the open interaction
// expires, or removed, when nothing is left to do before and r is as it was read, at revision: a write
// in between may have announced something new.
func (r *Record) Marked(revision, pushed uint64) *Record {
	next := r.clone()
	if r.Pushed != nil && *r.Pushed < pushed {
		next.Pushed = &pushed
	}
	if r.Revision == revision && !next.Live() && !next.Owes() {
		next.Wake = next.Expires
	}
	return next
}
