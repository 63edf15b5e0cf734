// Package storetest is the suite that every [task.Store] passes. It proves what the protocol
// relies on: one writer wins, who lost changes nothing, and what was written is read back as it
// was, across restarts and whatever else happens at the same time. Records come about by the rules
// of package task, never by hand.
package storetest

import (
	"testing"

	"github.com/interlude-a2a/interlude/pkg/task"
)

// Harness is a store under test. It is empty at first, and nobody else uses it.
type Harness struct {
	Store task.Store
	// Settle returns once lists and recovery see what was written until now. Nil: they always do.
	Settle func()
	// Reopen ends the store without a farewell and returns the one of the next process. Nil: the
	// store lives no longer than its process.
	Reopen func(t testing.TB) task.Store
}

// Run runs the suite; every test opens a store of its own. Tests run in parallel.
func Run(t *testing.T, open func(t testing.TB) Harness) {
	for _, c := range checks {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			c.run(t, open(t))
		})
	}
}

// check is a property of stores. It is handed a testing.TB, so that the suite's own tests can see
// it fail.
type check struct {
	name string
	run  func(t testing.TB, h Harness)
}

var checks = []check{
	{"create", create},
	{"create refused", createRefused},
	{"create race", createRace},
	{"copies", copies},
	{"read", read},
	{"read not found", readNotFound},
	{"claim", claim},
	{"claim race", claimRace},
	{"claim over a lease", claimHeld},
	{"claim not live", claimNotLive},
	{"claim with a wrong hint", claimHint},
	{"commit", commit},
	{"commit of a stale revision", commitStale},
	{"commit of a zombie", commitZombie},
	{"commit that can't be written", commitUnwritable},
	{"commit race", commitRace},
	{"renew", renew},
	{"renew refused", renewRefused},
	{"commit keeps what it did not read", commitKeeps},
	{"mark", mark},
	{"expire", expire},
	{"mark keeps wake", markKeepsWake},
	{"due", due},
	{"due while writing", dueWriting},
	{"defer race", deferRace},
	{"defer refused", deferRefused},
	{"list order", listOrder},
	{"list filters", listFilters},
	{"list pages", listPages},
	{"list while tasks change", listMoving},
	{"list leaves out bare messages", listBare},
	{"list is not moved by renewals", listRenewals},
	{"isolation", isolation},
	{"journal", journal},
	{"text", texts},
	{"conversation", conversation},
	{"conversation moved", conversationMoved},
	{"conversation race", conversationRace},
	{"conversation isolation", conversationIsolation},
	{"sizes", sizes},
	{"exact JSON", exactJSON},
	{"many events", manyEvents},
	{"lost answers", lostAnswers},
	{"lagging indexes", laggingIndexes},
	{"restart", restart},
}

// settle waits until indexes show all writes.
func (h Harness) settle() {
	if h.Settle != nil {
		h.Settle()
	}
}
