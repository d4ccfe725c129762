"""Stores that meet in a folder of files, where no program answers: the program as users run it, each
member with a home of its own. SPOOR_PROGRAM=build/dev/spoor python3 this-file
"""

import fcntl
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest

PROGRAM = str(pathlib.Path(os.environ.get("SPOOR_PROGRAM", "build/dev/spoor")).resolve())


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)
        for each in ("one", "two", "three", "shared"):
            (self.folder / each).mkdir()
        self.shared = self.folder / "shared"

    def begin(self, member, *words):
        return subprocess.Popen(
            [PROGRAM, *words], cwd=self.folder / member, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={"HOME": str(self.folder / member), "SPOOR_AUTHOR": member, "LC_ALL": "C.UTF-8",
                 "PATH": "/usr/bin:/bin"})

    def run_in(self, member, *words, fails=False):
        process = self.begin(member, *words)
        said, complained = process.communicate(timeout=120)
        self.assertEqual(process.returncode, 1 if fails else 0, said + complained)
        return complained if fails else said

    def texts(self, member):
        lines = self.run_in(member, "log", "--oneline").splitlines()
        return [line.split("  ")[-1].strip() for line in lines]

    def pushes(self):
        return sorted(file.name for file in self.shared.iterdir())

    def begin_team(self):
        self.run_in("one", "init")
        self.run_in("one", "user", "question")
        self.run_in("one", "remote", "add", "origin", "folder:../shared")
        self.run_in("one", "push")
        self.run_in("two", "clone", "folder:../shared", ".")

    def test_two_members_push_and_pull(self):
        self.begin_team()
        self.assertEqual(self.pushes(), ["push-00000001"])
        self.assertEqual(self.run_in("two", "remote"), f"origin folder:{self.shared}\n")
        self.run_in("one", "assistant", "answer")
        self.run_in("one", "push")
        self.run_in("two", "user", "another question")
        self.assertIn("would not go forward", self.run_in("two", "push", fails=True))
        self.run_in("two", "pull")
        self.run_in("two", "push")
        self.run_in("one", "pull")
        self.assertEqual(self.texts("one"), self.texts("two"))
        self.assertEqual(self.pushes(), [f"push-0000000{i}" for i in (1, 2, 3)])
        for member in ("one", "two"):
            self.run_in(member, "store", "fsck")
        # One who comes late sees who pushed what, and the same operations.
        self.run_in("three", "clone", "folder:../shared", ".")
        self.assertEqual(self.texts("three"), self.texts("one"))
        logs = []
        for member in ("one", "two", "three"):
            mirrors = list((self.folder / member).glob(".local/state/spoor/folders/*"))
            mirror = min((path for path in mirrors if path.is_file()), key=lambda path: len(path.name))
            logs.append(self.run_in(member, "--store", str(mirror), "oplog"))
        self.assertEqual(set(logs), {logs[0]})
        self.assertEqual([line.split()[2] for line in logs[0].splitlines() if not line.startswith(" ")],
                         ["two", "one", "one"])

    def test_what_is_there_decides_not_the_mirror(self):
        self.begin_team()
        for i in range(3):
            self.run_in("one", "user", f"turn {i}")
            self.run_in("one", "push")
        self.run_in("two", "pull")
        shutil.rmtree(self.folder / "one" / ".local" / "state" / "spoor" / "folders")
        self.assertIn("has all of it", self.run_in("one", "push"))
        # A folder from a backup: the last push is missing.
        (self.shared / "push-00000004").rename(self.folder / "lost")
        self.assertIn("no longer has the operation", self.run_in("two", "fetch", fails=True))
        self.run_in("two", "fetch", "--accept-rewind")
        self.run_in("two", "push")
        self.run_in("one", "fetch", "--accept-rewind")
        self.assertEqual(self.texts("one"), self.texts("two"))
        self.assertIn("there is no folder",
                      self.run_in("three", "clone", "folder:../nowhere", ".", fails=True))
        self.assertEqual(list((self.folder / "three").glob(".spoor*")), [])

    def test_a_file_that_is_no_push_is_named(self):
        self.begin_team()
        self.run_in("one", "user", "more")
        self.run_in("one", "push")
        whole = (self.shared / "push-00000002").read_bytes()
        numbers = random.Random(5)
        changed = [b"", b"x" * 1000, whole[:-1], whole[:numbers.randrange(len(whole))]]
        for _ in range(12):
            one = bytearray(whole)
            # The lines with the author and the time are not covered by a hash.
            one[numbers.randrange(whole.index(b"\nspoor sync") + 1, len(one))] ^= 1 << numbers.randrange(8)
            changed.append(bytes(one))
        before = self.texts("two")
        for data in changed:
            (self.shared / "push-00000002").write_bytes(data)
            self.assertIn("push-00000002'", self.run_in("two", "fetch", fails=True), data[:200])
            self.assertEqual(self.texts("two"), before)
        (self.shared / "push-00000002").write_bytes(whole)
        self.run_in("two", "pull")
        self.assertEqual(self.texts("two"), self.texts("one"))

    def test_a_file_that_is_missing_is_named(self):
        self.begin_team()
        for i in range(3):
            self.run_in("one", "user", f"turn {i}")
            self.run_in("one", "push")
        self.run_in("two", "pull")
        self.run_in("two", "user", "more")
        for number in (1, 3):
            name = f"push-0000000{number}"
            (self.shared / name).rename(self.folder / "lost")
            for member, words in (("one", ["fetch"]), ("two", ["push"]), ("three", ["clone", "folder:../shared", "."])):
                self.assertIn(f"{name}' is missing", self.run_in(member, *words, fails=True))
            self.assertEqual(list((self.folder / "three").glob(".spoor*")), [])
            (self.folder / "lost").rename(self.shared / name)
        self.run_in("two", "push")
        self.run_in("three", "clone", "folder:../shared", ".")
        self.assertEqual(self.texts("three"), self.texts("two"))

    def test_what_is_not_a_file_is_named_and_not_waited_for(self):
        self.begin_team()
        name = self.shared / "push-00000002"
        for make in (lambda: os.mkfifo(name), name.mkdir, lambda: name.symlink_to("nothing"), lambda: name.symlink_to("/dev/zero")):
            make()
            self.assertIn("push-00000002'", self.run_in("two", "fetch", fails=True))
            if name.is_dir():
                name.rmdir()
            else:
                name.unlink()
        for name in ("push-2", "push-00000002 (copy)", "push-0000000x", "push--0000002"):
            (self.shared / name).write_bytes(b"")
        self.run_in("one", "user", "more")
        self.run_in("one", "push")
        self.run_in("two", "pull")
        self.assertEqual(self.texts("two"), self.texts("one"))

    def test_a_mirror_that_is_damaged_is_made_again(self):
        self.begin_team()
        files = list((self.folder / "two").glob(".local/state/spoor/folders/*"))
        mirror = [path for path in files if "-" not in path.name][0]
        whole = mirror.read_bytes()
        changed = whole[:4096 * 3] + b"x" * 4096 + whole[4096 * 4:]
        for i, data in enumerate((b"", b"not a store", whole[:100], whole[:len(whole) // 2], changed)):
            for path in mirror.parent.glob("*-*"):
                path.unlink()
            mirror.write_bytes(data)
            self.run_in("one", "user", f"turn {i}")
            self.run_in("one", "push")
            self.run_in("two", "pull")
            self.assertEqual(self.texts("two"), self.texts("one"))

    def test_a_command_that_waits_for_another_can_be_stopped(self):
        self.begin_team()
        mirrors = list((self.folder / "one").glob(".local/state/spoor/folders/*-lock"))
        lock = [path for path in mirrors if path.name.count("-") == 1][0]
        with open(lock, "rb") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            waits = self.begin("one", "fetch")
            time.sleep(0.5)
            waits.send_signal(signal.SIGINT)
            self.assertEqual(waits.communicate(timeout=20), ("", "error: stopped\n"))
            self.assertEqual(waits.returncode, 130)

    def test_many_push_at_once(self):
        self.begin_team()
        self.run_in("three", "clone", "folder:../shared", ".")
        members, failed = ("one", "two", "three"), []

        def work(member):
            for i in range(4):
                self.run_in(member, "user", f"{member} {i}")
                for _ in range(40):
                    self.run_in(member, "pull")
                    pushed = self.begin(member, "push")
                    pushed.communicate(timeout=120)
                    if pushed.returncode == 0:
                        break
                else:
                    failed.append(member)

        workers = [threading.Thread(target=work, args=(member,)) for member in members]
        for each in workers:
            each.start()
        for each in workers:
            each.join()
        self.assertEqual(failed, [])
        self.run_in("one", "pull")
        texts = self.texts("one")
        for member in members:
            mine = [text for text in reversed(texts) if text.startswith(member + " ")]
            self.assertEqual(mine, [f"{member} {i}" for i in range(4)])
        self.assertEqual(self.pushes(), [f"push-{i + 1:08}" for i in range(len(self.pushes()))])

    def test_a_push_that_is_killed_is_whole_or_not_there(self):
        self.begin_team()
        numbers = random.Random(11)
        for i in range(20):
            self.run_in("one", "user", f"turn {i}")
            pushed = self.begin("one", "push")
            time.sleep(numbers.random() * 0.06)
            pushed.send_signal(signal.SIGKILL)
            pushed.communicate()
            self.run_in("two", "pull")
            self.assertIn(len(self.texts("two")), range(i + 3))
        self.run_in("one", "push")
        self.run_in("two", "pull")
        self.assertEqual(self.texts("two"), self.texts("one"))
        self.run_in("two", "store", "fsck")


if __name__ == "__main__":
    unittest.main()
