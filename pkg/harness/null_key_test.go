package harness_test

import (
	"encoding/json"
	"testing"
	"testing/synctest"
)

// Arguments that are null break nothing where the server's schema is none that can be held to.
func TestNullArgumentsOfAKeyedCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, "effects: { hub/label: { class: idempotent, key: { argument: title } } }\npermissions: { allow: [hub/*] }", calls("hub__label null"), text("Done."))
		w.tools.list[1].Schema = json.RawMessage(`{"type":5}`)
		w.want(w.ask("Go"), completed)
	})
}
