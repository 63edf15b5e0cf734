package meter

import "testing"

func TestDollars(t *testing.T) {
	t.Parallel()
	b := Bill{Calls: map[string]int{"SQS.SendMessage": 1, "DynamoDB.PutItem": 2}, WRU: 3, RRU: 1.5, SQS: 2, Fair: 1}
	const want = "2 DynamoDB.PutItem, 1 SQS.SendMessage: 3 WRU, 1.5 RRU, 2 SQS requests; $2.96 a million"
	if got := b.String(); got != want { // 1.875 + 0.1875 + 0.80 + 0.10
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestBillIsACopy(t *testing.T) {
	t.Parallel()
	m := New()
	m.add(Bill{Calls: map[string]int{"SQS.SendMessage": 1}})
	before := m.Bill()
	m.add(Bill{Calls: map[string]int{"SQS.SendMessage": 1}})
	if got := before.Calls["SQS.SendMessage"]; got != 1 {
		t.Errorf("calls of a bill taken before the second: got %d, want 1", got)
	}
}
