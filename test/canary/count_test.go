package canary

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// count is how many rows of a table have the canaries in any column.
func count(t *testing.T, query func(string, ...any) (*sql.Rows, error), table string) (arguments, tokens int) {
	t.Helper()
	rows, err := query(fmt.Sprintf("SELECT * FROM %q", table))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		cells := make([]sql.RawBytes, len(columns))
		into := make([]any, len(columns))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		var all strings.Builder
		for _, c := range cells {
			all.Write(c)
		}
		if strings.Contains(all.String(), argument) {
			arguments++
		}
		if strings.Contains(all.String(), token) {
			tokens++
		}
	}
	return arguments, tokens
}
