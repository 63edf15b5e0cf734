#!/usr/bin/env python3
"""Runs a command with a DynamoDB of its own: dynoxide, at INTERLUDE_DYNAMODB.

    python3 infra/tools/dynoxide.py go test ./pkg/task/dynamodb

It is the second judge of the store, stricter with expressions than the emulator that
make test has.
"""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time

INSTALL = "cargo install dynoxide-rs --version 3.2.0 --locked"
PATIENCE = 10  # seconds to start in


def main(command):
    if not command:
        sys.exit("usage: dynoxide.py command [argument ...]")
    path = os.pathsep.join([os.environ.get("PATH", ""), str(pathlib.Path.home() / ".cargo/bin")])
    program = shutil.which("dynoxide", path=path)
    if program is None:
        sys.exit(f"dynoxide is needed; install it by: {INSTALL}")
    port = free_port()
    server = subprocess.Popen([program, "serve", "-p", str(port), "--log", "quiet"])
    try:
        wait(server, port)
        env = {**os.environ, "INTERLUDE_DYNAMODB": f"http://127.0.0.1:{port}"}
        return subprocess.run(command, env=env).returncode
    finally:
        server.terminate()
        server.wait()


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def wait(server, port):
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
            return
        except OSError:
            time.sleep(0.05)
    sys.exit("dynoxide did not start")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
