"""The program on a store in PostgreSQL: the same commands say the same as on a file."""
import json
import os
import pathlib
import pwd
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ["SPOOR_PROGRAM"]
DATA = pathlib.Path(__file__).parents[1] / "data/import"


def newest_programs():
    found = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4]))
    return found[-1].parent if found else None


class Server:
    """Debian's server under an unprivileged user, on a socket in a folder."""

    def __init__(self, programs, folder):
        self.folder = folder
        user = pwd.getpwnam("nobody") if os.getuid() == 0 else None
        if user:
            os.chown(folder, user.pw_uid, user.pw_gid)
        own = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []} if user else {}
        own |= {"cwd": "/", "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        made = subprocess.run([programs / "initdb", "-D", f"{folder}/data", "-U", "spoor", "-A", "trust", "-E", "UTF8",
                               "--locale=C", "--no-sync"], check=False, **own)
        if made.returncode:
            raise unittest.SkipTest("skipped: PostgreSQL's server does not start")
        self.process = subprocess.Popen([programs / "postgres", "-D", f"{folder}/data", "-k", folder, "-c",
                                         "listen_addresses=", "-c", "fsync=off"], **own)
        for _ in range(600):
            if pathlib.Path(f"{folder}/.s.PGSQL.5432").exists():
                return
            time.sleep(0.05)
        raise AssertionError("the server does not start")

    def address(self, store):
        return f"postgres:///postgres?user=spoor&host={self.folder}&store={store}"

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()


class PostgresCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        programs = newest_programs()
        if programs is None:
            raise unittest.SkipTest("skipped: PostgreSQL's server is not installed")
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.server = Server(programs, cls.folder.name)
        cls.addClassCleanup(cls.server.stop)

    def setUp(self):
        home = tempfile.TemporaryDirectory()
        self.addCleanup(home.cleanup)
        self.home = pathlib.Path(home.name)
        self.environment = {"HOME": home.name, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "USER": "ann"}
        self.addresses = [str(self.home / "file.spoor"), self.server.address(self.id().split(".")[-1])]

    def run_on(self, store, *words, text=None):
        environment = self.environment | {"SPOOR_STORE": store}
        ran = subprocess.run([PROGRAM, *words], env=environment, cwd=self.home, input=text, capture_output=True, text=True,
                             timeout=120, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    def both(self, *words, text=None, status=0, changes=()):
        """Runs the same on both, and returns what they print, which must be the same but for `changes` (regexes)."""
        said = []
        for store in self.addresses:
            code, out, error = self.run_on(store, *words, text=text)
            self.assertEqual(status, code, (words, out, error))
            for change in changes:
                out = re.sub(change, "…", out)
            said.append(out)
        self.assertEqual(said[0], said[1], words)
        return said[0]

    def test_a_conversation_is_the_same_in_both(self):
        for store in self.addresses:
            code, out, error = self.run_on(store, "init", store)
            self.assertEqual((0, ""), (code, error), out)
        for number, (kind, text) in enumerate([("system", "Be brief."), ("user", "How many?"), ("assistant", "I count."),
                                               ("assistant", "Three."), ("user", "Sure?")]):
            self.environment["SPOOR_NOW"] = f"2026-11-28T06:00:0{number}Z"
            self.both(kind, text)
        self.environment["SPOOR_NOW"] = "2026-11-28T07:00:00Z"
        self.both("log")
        self.both("log", "--json")
        self.both("compile", "--to", "anthropic")
        self.both("branch", "side", "HEAD~2")
        self.both("skip", "HEAD~1")
        self.both("log", "--commits")
        self.both("undo")
        self.both("tag", "first")
        self.both("branch", "--json")
        self.both("diff", "side", "main")
        self.both("search", "count")
        self.both("search", "--query", "three OR count")
        self.both("show", "main@{2026-11-28T06:00:02.5Z}")
        operations = [json.loads(self.run_on(store, "oplog", "--json")[1])["operations"] for store in self.addresses]
        # Of a file they are one chain, here one of each ref, so their names differ.
        bare = [[{key: value for key, value in each.items() if key not in ("operation", "undo", "undone")} for each in log]
                for log in operations]
        self.assertEqual(bare[0], bare[1])
        for store in self.addresses:
            code, out, error = self.run_on(store, "store", "fsck")
            self.assertEqual(0, code, out + error)
        self.both("store", "gc", "--prune", "--retention", "now", changes=[r"packed.*\n"])
        self.both("log", "--all", "--commits", "--json")
        self.both("store", "fsck", changes=[r"\d+ operations?", r".*"])

    def test_sessions_and_archives_are_the_same_in_both(self):
        for store in self.addresses:
            self.assertEqual(0, self.run_on(store, "init", store)[0])
        for file in (DATA / "codex/rollout.jsonl", DATA / "gemini-cli/session.json"):
            self.both("import", str(file), changes=[r"(?s).*"])
        self.both("sessions", "--json")
        self.both("log", "--all", "--commits", "--json")
        archive = self.home / "archive"
        for number, store in enumerate(self.addresses):
            code, out, error = self.run_on(store, "store", "archive", f"{archive}{number}")
            self.assertEqual(0, code, error)
        lines = [[line for line in pathlib.Path(f"{archive}{number}").read_bytes().split(b"\n")
                  if not line.startswith((b"operation ", b"part ", b"end "))] for number in range(2)]
        self.assertEqual(lines[0], lines[1])
        address = self.server.address("copy")
        self.assertEqual(0, self.run_on(address, "init", address)[0])
        self.assertEqual(0, self.run_on(address, "import", f"{archive}0")[0])
        self.assertEqual(self.run_on(self.addresses[0], "log", "--all", "--commits", "--json")[1],
                         self.run_on(address, "log", "--all", "--commits", "--json")[1])
        code, out, error = self.run_on(address, "store", "fsck")
        self.assertEqual(0, code, out + error)

    def test_a_file_and_a_server_get_each_others_turns(self):
        file, address = self.addresses
        def run(store, *words):
            code, out, error = self.run_on(store, *words)
            self.assertEqual(0, code, (words, out, error))
            return out
        run(address, "init", address)
        run(address, "user", "from the server")
        run(address, "clone", address, str(self.home / "clone.spoor"))
        clone = str(self.home / "clone.spoor")
        run(clone, "assistant", "from the file")
        run(clone, "push")
        self.assertIn("from the file", run(address, "log"))
        run(address, "user", "again")
        run(clone, "pull")
        logs = [[each["hash"] for each in json.loads(run(store, "log", "--commits", "--json"))["commits"]]
                for store in (address, clone)]
        self.assertEqual(logs[0], logs[1])
        copy = self.server.address("copied")
        run(copy, "clone", clone, copy)
        self.assertIn("again", run(copy, "log"))
        run(copy, "branch", "side", "HEAD~1")
        note = self.home / "note"
        note.write_text(run(copy, "checkpoint"))
        run(copy, "prove", "side", "-o", str(self.home / "proof"))
        run(copy, "verify", str(self.home / "proof"), "--key", run(copy, "checkpoint", "--key").strip())
        run(copy, "user", "on it goes")
        run(copy, "store", "gc", "--prune", "--retention", "now")
        run(copy, "store", "fsck", "--since", str(note))
        for store in (address, clone, copy):
            run(store, "store", "fsck")
        code, out, error = self.run_on(clone, "remote", "add", "other", "postgres://a:b@h/d")
        self.assertEqual(1, code)
        self.assertIn("the address has a password", error)

    def test_a_password_is_shown_nowhere(self):
        address = self.server.address("secret").replace("postgres:///", "postgres://spoor:hunter2@/")
        address = address.replace("user=spoor&", "")
        for words in (["init", address], ["status", "--json"], ["user", "hello"], ["store", "fsck"]):
            code, out, error = self.run_on(address, *words)
            self.assertEqual(0, code, out + error)
            self.assertNotIn("hunter2", out + error)
        # Nor in what libpq says of an address that it cannot read.
        for malformed in ("ann:hunter%zz2@h/d", "ann:%zzhunter2@h/d", "ann:hunter2@[h/d", "ann:a/hunter2@h/d",
                          "h/d?password=hunter2%zz", "h/d?password=hunter2&x%zz=1", "h/d?hunter2", "h/d?hunter2=1"):
            code, out, error = self.run_on(f"postgres://{malformed}", "status")
            self.assertEqual(1, code, malformed)
            self.assertNotIn("hunter", out + error, malformed)
        for path in self.home.rglob("*"):
            if path.is_file():
                self.assertNotIn(b"hunter2", path.read_bytes())

    def test_each_role_of_the_documentation_may_do_its_part_and_no_more(self):
        address = self.server.address("roles")
        self.assertEqual(0, self.run_on(address, "init", address)[0])
        self.assertEqual(0, self.run_on(address, "user", "hello")[0])
        self.assertEqual(0, self.run_on(address, "oplog")[0])
        text = (pathlib.Path(__file__).parents[2] / "docs/postgres.md").read_text()
        roles = re.search(r"```sql\n(.*?)```", text, re.S).group(1)
        roles = roles.replace("'team'", "'roles'")
        subprocess.run([newest_programs() / "psql", "-v", "ON_ERROR_STOP=1", "-q", "-h", self.folder.name, "-U", "spoor",
                        "postgres"], input=roles, text=True, check=True)
        reader, appender = (address.replace("user=spoor", f"user={name}") for name in ("bea", "agents"))
        for words, reads, appends in [(["log", "main"], 0, 0), (["oplog"], 0, 0), (["compile", "main"], 0, 0),
                                      (["store", "fsck"], 0, 0), (["search", "hello"], 0, 0), (["user", "again"], 1, 0),
                                      (["branch", "other", "main"], 1, 0), (["switch", "other"], 1, 0),
                                      (["store", "erase", "main", "--yes", "--reason", "no"], 1, 1)]:
            for store, status in ((reader, reads), (appender, appends)):
                code, out, error = self.run_on(store, *words)
                self.assertEqual(status, code, (words, store, out, error))
                if status:
                    self.assertIn("denied", error, (words, error))
                    self.assertIn("hint: the role of the address", error)
        self.assertEqual(0, self.run_on(address, "store", "fsck")[0])

    def test_a_server_that_is_away_is_waited_for_until_ctrl_c(self):
        environment = self.environment | {"SPOOR_STORE": "postgres://127.0.0.1:1/x"}
        waiting = subprocess.Popen([PROGRAM, "log"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("waiting: cannot connect: ", waiting.stderr.readline())
        begin = time.monotonic()
        waiting.send_signal(signal.SIGINT)
        self.assertEqual(("", ""), waiting.communicate(timeout=10))
        self.assertEqual(130, waiting.returncode)
        self.assertLess(time.monotonic() - begin, 1)

    def test_errors_are_plain(self):
        self.environment["SPOOR_PATIENCE"] = "0"
        for address, words in [("postgres://127.0.0.1:1/x", "cannot connect"),
                               (self.server.address("none"), "no store"),
                               ("postgres:///nothing?user=spoor&host=" + self.folder.name, "does not exist"),
                               ("postgres://h/d?store=a b", "not the name of a store")]:
            code, out, error = self.run_on(address, "log")
            self.assertEqual((1, ""), (code, out), error)
            self.assertIn(words, error)
            self.assertIn("hint: ", error)
            self.assertNotIn("\x1b", error)


if __name__ == "__main__":
    unittest.main()
