package main

import (
	"context"
	"net"
	"os/exec"
	"strings"
)

// loopback is where the virtual machine of Docker Desktop reaches this one.
const loopback = "127.0.0.1"

// reached is the address that containers reach this machine at, and its neighbours do not: whoever
// reaches an emulator can have it run functions.
func reached(ctx context.Context) (string, error) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		return "", err
	}
	gateway, err := exec.CommandContext(ctx, "docker", "network", "inspect", "bridge",
		"--format", "{{range .IPAM.Config}}{{.Gateway}} {{end}}").Output()
	if err != nil {
		return loopback, nil // there is no such network
	}
	return ofBridge(strings.Fields(string(gateway)), addresses), nil
}

// ofBridge is the first of the bridge's IPv4 gateways that is an address of this machine, else
// loopback.
func ofBridge(gateways []string, addresses []net.Addr) string {
	for _, g := range gateways {
		ip := net.ParseIP(g)
		for _, a := range addresses {
			if own, ok := a.(*net.IPNet); ok && ip.To4() != nil && own.IP.Equal(ip) {
				return g
			}
		}
	}
	return loopback
}
