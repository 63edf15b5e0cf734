#!/usr/bin/env python3
"""Runs the A2A conformance kit (a2a-tck) against this system.

    python3 test/tck/run.py <folder of the kit>

The kit is not part of this project: clone it beside it, at the commit that
expected.json names. Its packages go into a virtual environment in its folder. It
runs on all three bindings against make sut. What fails and what is skipped is held
against expected.json, where each has its reason; anything else is an error.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time
import urllib.request
import xml.etree.ElementTree as xml

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SUT = "http://localhost:9999"
PATIENCE = 180  # seconds that the system may take to start: it is built first


def main(kit):
    expected = json.loads((ROOT / "test/tck/expected.json").read_text())
    python = install(kit)
    report = kit / "reports/interlude.xml"
    sut = start()
    try:
        subprocess.run(
            [python, "-m", "pytest", "tests/compatibility", "-q", f"--sut-host={SUT}", "--transport=grpc,jsonrpc,http_json",
             "--webhook-host=127.0.0.1", f"--junitxml={report}"], cwd=kit, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    finally:
        os.killpg(sut.pid, signal.SIGTERM)
        sut.wait()
    results = read(report)
    wrong = compare(results, expected)
    counts = {kind: sum(r == kind for r, _ in results.values()) for kind in ("passed", "failed", "skipped")}
    print(f"{len(results)} tests of the kit at {expected['kit']}:", ", ".join(f"{n} {kind}" for kind, n in counts.items()))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


def install(kit):
    home = kit / ".venv"
    python = home / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", home], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-e", "."], cwd=kit, check=True)
    return python


def start():
    """make sut, in a group of its own, ready."""
    sut = subprocess.Popen(["make", "sut"], cwd=ROOT, stdout=subprocess.DEVNULL, start_new_session=True)
    for _ in range(PATIENCE):
        try:
            urllib.request.urlopen(SUT + "/.well-known/agent-card.json", timeout=1).read()
            return sut
        except OSError:
            if sut.poll() is not None:
                break
            time.sleep(1)
    os.killpg(sut.pid, signal.SIGTERM)
    sys.exit("make sut does not serve")


def read(report):
    """The result and the message of each test, by its name."""
    results = {}
    for case in xml.parse(report).iter("testcase"):
        name = case.get("classname").removeprefix("tests.compatibility.") + "::" + case.get("name")
        kind, message = "passed", ""
        for child in case:
            if child.tag in ("failure", "error"):
                kind, message = "failed", child.get("message", "")
            elif child.tag == "skipped":
                kind, message = "skipped", child.get("message", "")
        results[name] = (kind, message)
    return results


def compare(results, expected):
    """What is not as expected. A key of expected may end in *, for all transports."""
    wrong = []
    for kind in ("failed", "skipped"):
        met = set()
        for name, (result, message) in results.items():
            if result != kind:
                continue
            key = next((k for k in expected[kind] if name == k or k.endswith("*") and name.startswith(k[:-1])), None)
            if key is None:
                wrong.append(f"{kind}, and not expected to be: {name}: {message.splitlines()[0] if message else ''}")
            met.add(key)
        wrong += [f"expected to be {kind}, and is not: {key}" for key in expected[kind] if key not in met]
    return wrong


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(pathlib.Path(sys.argv[1]).resolve())
