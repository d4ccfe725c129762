"""`spoor watch` while session files are written: what is in the store at the end is what an import of the whole files makes,
whatever is killed when."""
import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["SPOOR_PROGRAM"]
HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "data"
SEED = 20261127 + int(os.environ.get("SPOOR_SEED", "0"))
SOAK = int(os.environ.get("SPOOR_SOAK", "1"))
# A session of each agent, and where the agent writes it.
SESSIONS = {
    ".claude/projects/-work/5eed0001-0000-4000-8000-000000000001.jsonl": sorted((DATA / "claude").glob("*.jsonl"))[0],
    ".codex/sessions/2026/11/27/rollout-1.jsonl": sorted((DATA / "import/codex").glob("*.jsonl"))[0],
    ".pi/agent/sessions/shop/1.jsonl": sorted((DATA / "import/pi").glob("*.jsonl"))[0],
    ".gemini/tmp/shop/chats/session-1.jsonl": sorted((DATA / "import/gemini-cli").glob("*.jsonl"))[0],
}


class Home:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.environment = {"HOME": self.folder.name, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

    def spoor(self, *words, check=True):
        run = subprocess.run([PROGRAM, *words], env=self.environment, cwd=self.path, capture_output=True, timeout=60)
        if check and run.returncode != 0:
            raise AssertionError(f"{words}: {run.returncode} {run.stderr.decode()}")
        return run

    def start(self, *words):
        return subprocess.Popen([PROGRAM, *words], env=self.environment, cwd=self.path,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def watch(self):
        process = self.start("watch")
        while b"following" not in (line := process.stderr.readline()):
            assert line, "it ended"
        return process

    def branches(self):
        run = self.spoor("branch", "--json", check=False)
        if run.returncode != 0:
            return {}
        return {each["name"]: each["head"] if "head" in each else each["hash"] for each in json.loads(run.stdout)["branches"]}

    def append(self, name, data):
        path = self.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "ab") as file:
            file.write(data)


def imported():
    """The branches that a plain import of all of the sessions makes."""
    home = Home()
    for name, source in SESSIONS.items():
        home.append(name, source.read_bytes())
    home.spoor("import")
    branches = home.branches()
    home.folder.cleanup()
    return {name: tip for name, tip in branches.items() if "/" in name}


class Watch(unittest.TestCase):
    def setUp(self):
        self.home = Home()
        self.addCleanup(self.home.folder.cleanup)

    def stop(self, process, by=signal.SIGINT):
        process.send_signal(by)
        out, error = process.communicate(timeout=30)
        return out.decode(), error.decode()

    def sessions(self):
        return {name: tip for name, tip in self.home.branches().items() if "/" in name}

    def test_folders_and_files_that_come_later_are_seen(self):
        process = self.home.watch()
        for name, source in SESSIONS.items():
            self.home.append(name, source.read_bytes())
        deadline = time.monotonic() + 30
        while len(self.sessions()) < len(SESSIONS) and time.monotonic() < deadline:
            time.sleep(0.05)
        out, error = self.stop(process)
        self.assertEqual(process.returncode, 0, error)
        self.assertEqual(self.sessions(), imported())
        self.assertIn("codex/", out)
        self.assertEqual(self.home.spoor("import").stdout.decode().count("new: 0 turns"), 1)

    def test_killed_at_any_time_nothing_is_missing_or_twice(self):
        wanted = imported()
        for number in range(3 * SOAK):
            with self.subTest(number=number):
                dice = random.Random(SEED + number)
                self.home = Home()
                left = {name: source.read_bytes() for name, source in SESSIONS.items()}
                process = self.home.watch()
                while any(left.values()):
                    name = dice.choice([name for name in left if left[name]])
                    size = dice.randrange(1, 20_000)
                    self.home.append(name, left[name][:size])
                    left[name] = left[name][size:]
                    time.sleep(dice.choice((0, 0, 0.002, 0.02)))
                    if dice.random() < 0.1:
                        process.kill()
                        process.wait()
                        process.stdout.close(), process.stderr.close()
                        process = self.home.watch()
                time.sleep(0.1)
                _, error = self.stop(process)
                self.assertEqual(process.returncode, 0, error)
                self.assertEqual(self.sessions(), wanted)
                self.home.spoor("store", "fsck")
                self.home.folder.cleanup()

    def test_turns_are_followed_as_they_come(self):
        process = self.home.watch()
        follow = self.home.start("log", "--follow", "--json")
        time.sleep(0.5)
        name, source = next((name, source) for name, source in SESSIONS.items() if "codex" in name)
        for line in source.read_bytes().splitlines(keepends=True):
            self.home.append(name, line)
            time.sleep(0.005)
        time.sleep(1)
        self.stop(process)
        time.sleep(0.3)
        out, _ = self.stop(follow)
        seen = [json.loads(line)["hash"] for line in out.splitlines()]
        log = {}
        for branch in self.sessions():
            for each in json.loads(self.home.spoor("log", branch, "--commits", "--json").stdout)["commits"]:
                log[each["hash"]] = each
        self.assertEqual(sorted(seen), sorted(log))  # Each once,
        places = {name: number for number, name in enumerate(seen)}
        for name, each in log.items():  # and behind its parent.
            self.assertTrue(all(places.get(parent, -1) < places[name] for parent in each["parents"]))

    def test_one_runs_for_each_user_and_can_be_ended(self):
        self.home.spoor("watch", "--background")
        self.home.spoor("watch", "--background")
        second = self.home.spoor("watch", check=False)
        self.assertEqual(second.returncode, 1)
        self.assertIn(b"runs already", second.stderr)
        name, source = next(iter(SESSIONS.items()))
        self.home.append(name, source.read_bytes())
        deadline = time.monotonic() + 30
        while not self.sessions() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.home.spoor("watch", "--stop")
        self.assertTrue(self.sessions())
        self.assertEqual(self.home.spoor("watch", "--stop", check=False).returncode, 1)

    def test_odd_files_do_not_hold_up_the_others(self):
        folder = self.home.path / ".codex/sessions"
        folder.mkdir(parents=True)
        os.mkfifo(folder / "a.jsonl")
        os.symlink(folder / "b.jsonl", folder / "b.jsonl")
        process = self.home.watch()
        os.utime(folder / "a.jsonl")
        self.home.append(".codex/sessions/z.jsonl", SESSIONS[".codex/sessions/2026/11/27/rollout-1.jsonl"].read_bytes())
        deadline = time.monotonic() + 10
        while not self.sessions() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.stop(process)
        self.assertEqual({name.split("/")[0] for name in self.sessions()}, {"codex"})

    def test_what_was_written_meanwhile_is_read_and_older_files_are_not(self):
        old, new = list(SESSIONS.items())[:2]
        self.home.append(old[0], old[1].read_bytes())
        hour_ago = time.time() - 3600
        os.utime(self.home.path / old[0], (hour_ago, hour_ago))
        process = self.home.watch()
        self.stop(process)
        self.assertEqual(self.sessions(), {})
        time.sleep(0.1)
        self.home.append(new[0], new[1].read_bytes())
        process = self.home.watch()
        time.sleep(0.5)
        self.stop(process)
        self.assertEqual({name.split("/")[0] for name in self.sessions()}, {"codex"})


if __name__ == "__main__":
    unittest.main()
