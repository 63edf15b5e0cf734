package openai

import (
	"fmt"
	"testing"
)

// BenchmarkReasoning puts together what a model reasons before it answers, in 20,000 pieces.
func BenchmarkReasoning(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		a := assembly{text: func(string) {}}
		for i := range 20_000 {
			if err := a.add(fmt.Appendf(nil, `{"choices":[{"delta":{"reasoning_content":"piece %d "}}]}`, i)); err != nil {
				b.Fatal(err)
			}
		}
		a.done = true
		if _, err := a.whole(); err != nil {
			b.Fatal(err)
		}
	}
}
