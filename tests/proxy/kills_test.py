"""What `spoor with` and `spoor watch` leave when one of their processes is killed at any time of a conversation: what an agent
has in its session files is in the store once, as an import of these files alone makes it, and the agent does not notice the
death of a recorder or a watcher."""
import collections
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import uuid

from with_test import HERE, PROGRAM, Place

SEED = int(os.environ.get("SPOOR_SEED", "0")) + 59
FACTOR = int(os.environ.get("SPOOR_SOAK", "1"))
ROUNDS = 500 if FACTOR > 1 else 15
VICTIMS = ("agent", "relay", "recorder", "station", "watcher")


def begun(process):
    """When a process began, in clock ticks. Among those of one tick, the numbers are in order."""
    return int(pathlib.Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[19]), process


class Kills(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.place.server.handle_error = lambda *_: None  # Whoever asked may be dead.
        self.addCleanup(self.place.close)
        self.sessions = self.place.path / ".claude/projects/-work"
        self.sessions.mkdir(parents=True)
        command = self.place.path / "bin/claude"
        command.parent.mkdir()
        command.write_text(f"#!/bin/sh\nexec {sys.executable} {HERE}/agent.py \"$@\"\n")
        command.chmod(0o755)
        self.place.environment["PATH"] = f"{command.parent}:{os.environ['PATH']}"
        self.watcher = None

    def start_agent(self, stream):
        session = str(uuid.UUID(int=self.pick.getrandbits(128), version=4))
        words = ["with", "claude", "--", "9", f"look at {session}"] + ["--stream"] * stream
        environment = {**self.place.environment, "AGENT_SESSION": session, "AGENT_PAUSE": "0.03",
                       "AGENT_FILE": str(self.sessions / f"{session}.jsonl")}
        return subprocess.Popen([PROGRAM, *words], env=environment, cwd=self.place.path, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def watch(self):
        if self.watcher is None or self.watcher.poll() is not None:
            self.watcher = subprocess.Popen([PROGRAM, "watch"], env=self.place.environment, cwd=self.place.path,
                                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def part(self, process, victim):
        """The id of one of the processes; None if it has ended."""
        if victim == "watcher":
            return self.watcher.pid
        if victim == "station":
            return process.pid
        at = ("relay", "recorder", "agent").index(victim)
        listed = pathlib.Path(f"/proc/{process.pid}/task/{process.pid}/children")
        while process.poll() is None:
            try:
                found = sorted((int(each) for each in listed.read_text().split()), key=begun)
            except OSError:
                return None
            if len(found) == 3:
                return found[at]
            time.sleep(0.005)
        return None

    def run_one(self, victim, longest):
        """Kills one at a random time. Returns what was printed, and the status."""
        self.watch()
        process = self.start_agent(self.pick.random() < 0.5)
        time.sleep(self.pick.random() * longest)
        found = self.part(process, victim)
        if found is not None:
            try:
                os.kill(found, signal.SIGKILL)
            except ProcessLookupError:
                pass
        out, error = process.communicate(timeout=60)  # Also until an agent without its station has ended.
        if victim == "watcher":
            self.watcher.wait(timeout=60)
        return out.decode(), error.decode(), process.returncode

    def heads(self, place_environment, path):
        run = subprocess.run([PROGRAM, "branch", "--json"], env=place_environment, cwd=path, capture_output=True, check=True)
        listed = json.loads(run.stdout)["branches"]
        return {each["name"]: each.get("head", each.get("hash")) for each in listed if each["name"].startswith("claude-code/")}

    def test_what_the_agent_has_is_in_the_store_once(self):
        self.pick = random.Random(SEED)
        start = time.monotonic()
        first = self.start_agent(True)  # Makes the store.
        out, error = first.communicate(timeout=60)
        self.assertEqual(first.returncode, 7, error)
        longest = time.monotonic() - start
        for number in range(ROUNDS):
            victim = VICTIMS[number % len(VICTIMS)]
            with self.subTest(number=number, victim=victim, seed=SEED):
                out, error, status = self.run_one(victim, longest)
                if victim in ("recorder", "watcher"):
                    self.assertEqual((status, out), (7, "All done after 4 results.\n0\n"), error)
                if victim in ("relay", "station"):  # It asked again, where a connection broke.
                    self.assertTrue(out.startswith("All done after 4 results.\n") or victim == "station", (out, error))
        if self.watcher.poll() is None:
            self.watcher.send_signal(signal.SIGINT)
            self.watcher.wait(timeout=60)
        deadline = time.monotonic() + 60
        while True:  # A relay without its station lives for ten seconds.
            last = self.start_agent(False)
            self.assertIn("All done", last.communicate(timeout=60)[0].decode())
            left = list(self.place.spool().glob("*"))
            left = [each.name for each in left if each.name not in ("dropped", "refused")]
            if not left or time.monotonic() > deadline:
                break
            time.sleep(1)
        self.assertEqual(left, [])
        self.place.spoor("import")
        with tempfile.TemporaryDirectory() as alone:
            environment = {**self.place.environment, "HOME": alone}
            shutil.copytree(self.sessions, pathlib.Path(alone) / ".claude/projects/-work")
            subprocess.run([PROGRAM, "import"], env=environment, cwd=alone, check=True, capture_output=True)
            expected = self.heads(environment, alone)
        self.assertGreater(len(expected), ROUNDS // 2)
        self.assertEqual(self.heads(self.place.environment, self.place.path), expected)
        self.check_requests()
        self.assertEqual(self.place.spoor("store", "fsck").returncode, 0)

    def check_requests(self):
        """No request is there twice, and each was sent."""
        sent = collections.Counter(self.place.sent())
        kept = collections.Counter()
        for branch in self.heads(self.place.environment, self.place.path):
            for each in json.loads(self.place.spoor("prompt", branch, "--list", "--json").stdout)["requests"]:
                kept[self.place.spoor("prompt", each["note"], "--raw").stdout] += 1
        self.assertEqual(kept - sent, collections.Counter())
        self.assertGreater(kept.total(), sent.total() // 2)


if __name__ == "__main__":
    unittest.main()
