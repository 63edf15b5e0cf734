package a2a

import (
	"encoding/json"
	"testing"
)

func BenchmarkDecodeSendMessageRequest(b *testing.B) {
	raw := document(b, "send_message_request.json")
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := DecodeRequest[SendMessageRequest](raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMarshalTask(b *testing.B) {
	raw := document(b, "task.json")
	var task Task
	if err := json.Unmarshal(raw, &task); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Marshal(task); err != nil {
			b.Fatal(err)
		}
	}
}
