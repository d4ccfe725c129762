"""A folder in which spoor runs agents: a store, a project, a home with a configuration, and nothing of
the tester's own environment."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

PROGRAM = os.environ.get("SPOOR_PROGRAM")
if PROGRAM is None:
    sys.exit("error: SPOOR_PROGRAM names no program")
PROGRAM = str(pathlib.Path(PROGRAM).resolve())

PATIENCE = 60  # Seconds that any one command may take.


def quick_folder():
    """Where files are in memory, if programs may be run there: no test here needs a disk."""
    folder = "/dev/shm"
    try:
        fits = os.access(folder, os.W_OK) and not os.statvfs(folder).f_flag & os.ST_NOEXEC
    except OSError:
        fits = False
    return folder if fits else None


class Failed(Exception):
    """Something that was checked is not so."""


def check(holds, what):
    if not holds:
        raise Failed(what)


def wait_until(holds, what):
    end = time.monotonic() + PATIENCE
    while not holds():
        check(time.monotonic() < end, f"waited in vain: {what}")
        time.sleep(0.01)


class Workplace:
    """`with Workplace(address) as place`: `place.project` is the root of the tools."""

    def __init__(self, address=None):
        self.holder = tempfile.TemporaryDirectory(dir=quick_folder())
        self.path = pathlib.Path(self.holder.name).resolve()
        self.project = self.path / "project"
        self.project.mkdir()
        self.environment = {
            "HOME": str(self.path), "TMPDIR": str(self.path), "XDG_CONFIG_HOME": str(self.path / "config"),
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "SPOOR_AUTHOR": "ada",
            "no_proxy": "127.0.0.1"}
        if address is not None:
            folder = self.path / "config" / "spoor"
            folder.mkdir(parents=True)
            (folder / "config.toml").write_text(
                f'[providers.fake]\nwire = "openai-chat"\nbase_url = "{address}"\n')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.holder.cleanup()

    def start(self, *words, stdin=subprocess.DEVNULL):
        """Starts spoor and does not wait for it."""
        return subprocess.Popen(
            [PROGRAM, "--store", "work.spoor", *words], cwd=self.path, env=self.environment,
            stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def finish(self, process):
        """(status, output, errors) of what `start` started; the last two as bytes."""
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def spoor(self, *words, status=0):
        """What it prints; Failed where it ends with another status."""
        got, out, err = self.finish(self.start(*words))
        check(got == status, f"spoor {' '.join(words)}: status {got}, not {status}\n{err.decode()}")
        return out.decode()

    def batch(self, requests):
        """The results of requests to `spoor batch`."""
        process = self.start("batch", stdin=subprocess.PIPE)
        out, _ = process.communicate("".join(json.dumps(each) + "\n" for each in requests).encode(), timeout=PATIENCE)
        return [json.loads(line)["result"] for line in out.splitlines()]

    def json(self, *words, status=0):
        return json.loads(self.spoor(*words, "--json", status=status))

    def log(self, revision="main"):
        """The commits of a history, newest first, as `log --json` has them."""
        return self.json("log", revision)["commits"]

    def commit(self, revision):
        return self.json("show", revision)

    def commits(self, revision="main"):
        """The same with all that `show --json` knows, oldest first."""
        text = self.spoor("export", "--jsonl", revision)
        return [json.loads(line) for line in text.splitlines()]

    def check_sound(self):
        found = self.json("fsck")
        check(found["sound"] and found["problem_count"] == 0, f"fsck: {found['problems']}")
        check(not found["orphans"], f"fsck: {found['orphans']} orphans")

    def check_prompts(self, revision="main"):
        """Every answer of a model names what was sent, and that can be proved. Returns how many."""
        answers = [commit for commit in self.commits(revision) if commit["type"] == "assistant"]
        for answer in answers:
            verdict = self.json("prompt", answer["hash"])["verdict"]
            check(verdict == "verified", f"the prompt of {answer['hash']}: {verdict}")
        return len(answers)
