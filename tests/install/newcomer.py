#!/usr/bin/env python3
"""The newcomer's clock: from an empty Debian to the first recorded turn, with the commands that were typed and the
seconds that each took.

usage: newcomer.py PACKAGES [ROOT]

PACKAGES is the folder that `./dev package` fills: the self-contained tarball with install.sh, the wheel, and npm's tarballs if
ROOT has Node. ROOT is where debootstrap made a Debian before, and is changed; without it one is made. It may be of another
processor where qemu-user runs its programs. Needs root, debootstrap and a mirror of Debian, but no other network: the packages
are on the disk already, so no download is in the figures."""
import http.server
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from self_contained_test import Handler

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/node.md"

# A script that keeps turns itself, and an agent that has never heard of spoor.
SCRIPT = """\
import spoor

with spoor.open("talk.spoor", create=True) as store:
    with store.branch("main") as branch:
        branch.user("hi")
        branch.assistant("hello")
"""
AGENT = """\
import json, os, urllib.request

body = {"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "say hello"}]}
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
                                 {"Content-Type": "application/json", "Authorization": "Bearer sk-none"})
print(json.load(urllib.request.urlopen(request))["choices"][0]["message"]["content"])
"""

MOST_COMMANDS = 2
MOST_SECONDS = 60


class Machine:
    """A Debian that has Python, perhaps Node, as a person with a script has, and nothing of spoor."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.home = self.root / "root"
        if not (self.root / "etc/debian_version").exists():
            subprocess.run(["debootstrap", "--variant=minbase", "--include=python3,python3-venv", "bookworm", self.root],
                           check=True, stdout=subprocess.DEVNULL)
        for folder in ("packages", "root"):
            shutil.rmtree(self.root / folder, ignore_errors=True)
            (self.root / folder).mkdir()
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n")

    def run(self, command, **variables):
        """Types one command into a shell at home. Returns what it printed, and the seconds."""
        begin = time.monotonic()
        done = subprocess.run(["chroot", self.root, "sh", "-c", "cd && " + command], text=True, capture_output=True,
                              env={"HOME": "/root", "PATH": "/root/venv/bin:/root/.local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
                                   **variables})
        seconds = time.monotonic() - begin
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        return done.stdout, seconds


def report(what, steps):
    total = sum(seconds for _, seconds in steps)
    print(f"{what}: {len(steps)} commands, {total:.1f} s")
    for command, seconds in steps:
        print(f"  {seconds:5.1f} s  {command}")
    assert len(steps) <= MOST_COMMANDS and all(seconds <= MOST_SECONDS for _, seconds in steps)


def python_script(machine):
    machine.run("python3 -m venv venv")  # A project's own environment is there before.
    (machine.home / "talk.py").write_text(SCRIPT)
    wheel = next((machine.root / "packages").glob("spoor-*.whl")).name
    commands = [f"pip install /packages/{wheel}", "python talk.py"]
    steps = [(command, machine.run(command)[1]) for command in commands]
    kept, _ = machine.run("python -c 'import spoor; print(len(list(spoor.open(\"talk.spoor\").log(\"main\"))))'")
    assert kept == "2\n", kept
    report("a script in Python", steps)


def javascript(machine):
    name, text = re.search(r"<!-- file: (\S+) -->\n```js\n(.*?)```", PAGE.read_text(), re.S).groups()
    (machine.home / name).write_text(text)
    machine.run("rm -f talk.spoor*")  # The script in Python kept its turns under that name.
    commands = ["npm install --offline /packages/spoor-[0-9]*.tgz /packages/spoor-linux-*.tgz", f"node {name}"]
    steps = [(command, *machine.run(command)) for command in commands]
    assert steps[-1][1] == "2\nhi\n", steps[-1]
    backend, _ = machine.run("node --input-type=module --eval 'import { backend } from \"spoor\"; console.log(backend.name)'")
    assert backend == "addon\n", backend
    report("a script in JavaScript", [(command, seconds) for command, _, seconds in steps])


def own_agent(machine, port):
    (machine.home / "agent.py").write_text(AGENT)
    commands = ["sh /packages/install.sh", "spoor with --openai -- python3 agent.py"]
    steps = [(command, machine.run(command, OPENAI_BASE_URL=f"http://127.0.0.1:{port}/v1")[1]) for command in commands]
    turns, _ = machine.run("spoor log --json")
    assert "say hello" in turns and "from afar" in turns, turns
    report("an agent of one's own, unchanged", steps)


def main():
    packages = pathlib.Path(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(sys.argv[2] if len(sys.argv) > 2 else folder + "/debian")
        processor = machine.run("uname -m")[0].strip()
        has_node = (machine.root / "usr/bin/node").exists()
        patterns = ["install.sh", "SHA256SUMS", f"*-{processor}-static.tar.gz", f"*_{processor}.whl"]
        if has_node:
            patterns += ["spoor-[0-9]*.tgz", f"spoor-linux-{machine.run('node -p process.arch')[0].strip()}-*.tgz"]
        for pattern in patterns:
            for file in packages.glob(pattern):
                shutil.copy(file, machine.root / "packages")
        python_script(machine)
        if has_node:
            javascript(machine)
        own_agent(machine, server.server_port)


if __name__ == "__main__":
    main()
