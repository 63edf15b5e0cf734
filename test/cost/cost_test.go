package cost

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The calls and units of each operation.
func TestOperations(t *testing.T) {
	t.Parallel()
	for _, o := range operations {
		t.Run(o.name, func(t *testing.T) {
			t.Parallel()
			bill := newBed(t).measure(o)
			if diff := cmp.Diff(o.calls, bill.Calls); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if bill.WRU > o.wru || bill.RRU > o.rru {
				t.Errorf("got %v WRU and %v RRU, want at most %v and %v", bill.WRU, bill.RRU, o.wru, o.rru)
			}
		})
	}
}

// BenchmarkOperations prints the table, on a few tasks and on many.
func BenchmarkOperations(b *testing.B) {
	for _, tasks := range []int{100, 100_000} {
		b.Run(fmt.Sprint(tasks, " tasks"), func(b *testing.B) {
			bed := newBed(b)
			bed.fill(tasks)
			for _, o := range operations {
				bill := bed.measure(o)
				fmt.Printf("%7d tasks  %-40s %v\n", tasks, o.name, bill)
				if diff := cmp.Diff(o.calls, bill.Calls); diff != "" {
					b.Errorf("%s: calls (-want +got):\n%s", o.name, diff)
				}
			}
			for b.Loop() {
				// What is measured is the bill, which is the same each time.
			}
		})
	}
}
