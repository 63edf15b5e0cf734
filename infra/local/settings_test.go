package main

import (
	"strings"
	"testing"
	"time"
)

func TestReadSettings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		env  map[string]string
		want settings
		err  string // the variable it names
	}{
		{nil, settings{port: "8080", grpc: "50051", data: ".data", lease: 30 * time.Second, agent: "agents/coder"}, ""},
		{map[string]string{"PORT": "0", "GRPC_PORT": "1", "DATA": "/d", "LEASE": "6s", "AGENT": "test"}, settings{port: "0", grpc: "1", data: "/d", lease: 6 * time.Second, agent: "test"}, ""},
		{
			map[string]string{"AGENT": "../../agents/coder", "MODEL": "openai/m", "OPENAI_BASE_URL": "http://x", "OPENAI_API_KEY": "k"},
			settings{port: "8080", grpc: "50051", data: ".data", lease: 30 * time.Second, agent: "../../agents/coder", model: "openai/m", baseURL: "http://x", key: "k"}, "",
		},
		{map[string]string{"HELD_CALLS": "on", "AGENT": "test"}, settings{port: "8080", grpc: "50051", data: ".data", lease: 30 * time.Second, agent: "test", heldCalls: true}, ""},
		{map[string]string{"HELD_CALLS": "yes"}, settings{}, "HELD_CALLS"},
		{map[string]string{"PORT": "http"}, settings{}, "PORT"},
		{map[string]string{"PORT": "65536"}, settings{}, "PORT"},
		{map[string]string{"GRPC_PORT": "-1"}, settings{}, "GRPC_PORT"},
		{map[string]string{"LEASE": "5s"}, settings{}, "LEASE"},
		{map[string]string{"LEASE": "soon"}, settings{}, "LEASE"},
	}
	for _, tt := range tests {
		got, err := readSettings(func(name string) string { return tt.env[name] })
		switch {
		case tt.err == "" && (err != nil || got != tt.want):
			t.Errorf("%v: got %+v, %v; want %+v", tt.env, got, err, tt.want)
		case tt.err != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.err+" ")):
			t.Errorf("%v: got error %v, want one that names %s", tt.env, err, tt.err)
		}
	}
}
