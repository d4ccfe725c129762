"""The program on a store in PostgreSQL: the same commands say the same as on a file."""
import json
import os
import pathlib
import pwd
import re
import shutil
import signal
import socket
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
        self.words = [programs / "postgres", "-D", f"{folder}/data", "-k", folder, "-c", "listen_addresses=", "-c", "fsync=off"]
        self.own = own
        self.start()

    def start(self):
        self.process = subprocess.Popen(self.words, **self.own)
        is_ready = [self.words[0].with_name("pg_isready"), "-q", "-h", self.folder]
        for _ in range(600):
            if subprocess.run(is_ready, check=False).returncode == 0:
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

    def test_words_are_indexed_once_and_forgotten_with_their_text(self):
        address = self.addresses[1]
        self.assertEqual(0, self.run_on(address, "init", address)[0])
        for text in ("the zebra is here", "nothing striped"):
            self.assertEqual(0, self.run_on(address, "user", text)[0])

        def matches(word, home=None):
            kept = self.environment
            self.environment = self.environment | ({"HOME": str(home)} if home else {})
            code, out, error = self.run_on(address, "search", "--query", word, "--json")
            self.environment = kept
            self.assertEqual(0, code, error)
            return len(json.loads(out)["turns"])

        other = self.home / "other"
        other.mkdir()
        self.assertEqual(1, matches("zebra"))
        self.assertEqual(1, matches("zebra", other))
        index, others = ([path for path in (home / ".local/state/spoor/stores").glob("*-search")]
                         for home in (self.home, other))
        self.assertEqual([1, 1], [len(index), len(others)])
        self.assertIn(b"zebra", index[0].read_bytes())
        self.assertEqual(0, self.run_on(address, "user", "a zebra again")[0])
        self.assertEqual(2, matches("zebra"))
        self.assertEqual(0, self.run_on(address, "store", "erase", "main~2", "--yes", "--reason", "asked for")[0])
        self.assertNotIn(b"zebra", index[0].read_bytes())
        self.assertIn(b"zebra", others[0].read_bytes())
        self.assertEqual([1, 1, 1], [matches("zebra"), matches("zebra", other), matches("nothing")])

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

    def test_an_agent_with_commands_is_recorded_there(self):
        examples = DATA.parents[2] / "examples/data"
        for store in self.addresses:
            self.assertEqual(0, self.run_on(store, "init", store)[0])
            shutil.copytree(examples / "slug", self.home / "slug")
            code, out, error = self.run_on(
                store, "run", "make ./check.sh pass", "--model", f"scripted/{examples}/agent-replies.jsonl", "--root",
                "slug", "--tools", "read_file,edit_file,run_command")
            self.assertEqual(0, code, out + error)
            self.assertIn("the check passes", self.run_on(store, "log", "--oneline")[1])
            shutil.rmtree(self.home / "slug")

    def test_a_store_there_is_served_with_its_tokens(self):
        address = self.addresses[1]
        for words in (["init", address], ["user", "hello"], ["branch", "other"], ["switch", "other"]):
            self.assertEqual(0, self.run_on(address, *words)[0])
        token = self.run_on(address, "serve", "allow", "ben")[1].strip()
        served = subprocess.Popen([PROGRAM, "serve", "--listen", "127.0.0.1:0"], env=self.environment | {"SPOOR_STORE": address},
                                  cwd=self.home, stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (served.terminate(), served.communicate()))
        url = served.stdout.readline().strip()
        self.environment["SPOOR_TOKEN"] = token
        code, out, error = self.run_on("", "clone", url, "copy")
        self.assertEqual(0, code, out + error)
        self.assertIn("on branch other", out)

    def psql(self, server, database, text):
        return subprocess.run([newest_programs() / "psql", "-v", "ON_ERROR_STOP=1", "-qAt", "-h", server.folder, "-U", "spoor",
                               database], input=text, text=True, capture_output=True, check=True).stdout

    def test_a_store_moves_to_another_server_while_its_writers_wait(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        other = Server(newest_programs(), folder.name)
        self.addCleanup(other.stop)
        services = self.home / "services"
        self.environment["PGSERVICEFILE"] = str(services)
        def place(agents):
            services.write_text("".join(f"[{name}]\nhost={server.folder}\ndbname={name}\nuser=spoor\n"
                                        for name, server in (("agents", agents), ("evals", other))))
        place(self.server)
        for name, server in (("agents", self.server), ("evals", other)):
            self.psql(server, "postgres", f"CREATE DATABASE {name}")
            for words in (["init", f"postgres:///?service={name}"], ["user", f"hello {name}"]):
                code, out, error = self.run_on(f"postgres:///?service={name}", *words)
                self.assertEqual(0, code, (words, out, error))
        address = "postgres:///?service=agents"
        before = self.run_on(address, "oplog", "--json")[1]
        self.psql(self.server, "postgres", "ALTER DATABASE agents SET default_transaction_read_only = on; SELECT "
                  "pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'agents'")
        waiting = subprocess.Popen([PROGRAM, "user", "meanwhile"], env=self.environment | {"SPOOR_STORE": address},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=self.home)
        self.assertIn("waiting: ", waiting.stderr.readline())
        dump = subprocess.run([newest_programs() / "pg_dump", "-h", self.server.folder, "-U", "spoor", "-n", "spoor", "agents"],
                              capture_output=True, text=True, check=True).stdout
        self.psql(other, "postgres", "CREATE DATABASE agents")
        self.psql(other, "agents", dump)
        self.assertEqual(1, len(json.loads(before)["operations"]))
        place(other)
        out, error = waiting.communicate(timeout=60)
        self.assertEqual(0, waiting.returncode, out + error)
        self.assertIn("meanwhile", self.run_on(address, "log")[1])
        self.assertEqual("1\n", self.psql(self.server, "agents", "SELECT count(*) FROM spoor.operations"))
        after = json.loads(self.run_on(address, "oplog", "--json")[1])["operations"]
        self.assertEqual(json.loads(before)["operations"], [each for each in after if each in json.loads(before)["operations"]])
        code, out, error = self.run_on(address, "store", "fsck")
        self.assertEqual(0, code, out + error)

    def test_many_operations_get_their_numbers_at_once(self):
        self.psql(self.server, "postgres", "CREATE DATABASE many")
        address = self.server.address("many").replace("///postgres", "///many")
        self.assertEqual(0, self.run_on(address, "init", address)[0])
        self.assertEqual(0, self.run_on(address, "user", "hello")[0])
        self.psql(self.server, "many", "INSERT INTO spoor.operations (store, name, at, body) SELECT 1, sha256(int8send(i)), i, "
                  "'' FROM generate_series(1, 50000) i")
        self.run_on(address, "oplog", "-n", "1")  # In the square of their number, it takes minutes.
        self.assertEqual("0\n", self.psql(self.server, "many", "SELECT count(*) FROM spoor.operations WHERE number IS NULL"))

    def test_objects_may_be_in_parts_that_are_made_before_the_store(self):
        text = (pathlib.Path(__file__).parents[2] / "docs/scale.md").read_text()
        self.psql(self.server, "postgres", "CREATE DATABASE parts")
        self.psql(self.server, "parts", re.search(r"```sql\n(.*?)```", text, re.S).group(1))
        address = self.server.address("parts").replace("///postgres", "///parts")
        for words in (["init", address], ["import", str(DATA / "codex/rollout.jsonl")], ["user", "hello"],
                      ["store", "gc", "--prune", "--retention", "now"], ["store", "fsck"]):
            code, out, error = self.run_on(address, *words)
            self.assertEqual(0, code, (words, out, error))
        parts = self.psql(self.server, "parts", "SELECT DISTINCT tableoid FROM spoor.objects").split()
        self.assertGreater(len(parts), 1)

    def test_an_erasure_in_a_sealed_store_destroys_keys(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        keys = Server(newest_programs(), folder.name)
        address = self.server.address("sealed")
        self.environment["SPOOR_PATIENCE"] = "0"

        def run(*words, status=0):
            code, out, error = self.run_on(address, *words)
            self.assertEqual(status, code, (words, out, error))
            return out if status == 0 else error

        def erase(status):
            return run("store", "erase", "HEAD~1", "--yes", "--reason", "a customer asked", status=status)
        stopped = False
        try:
            self.assertIn("another server", run("init", address, "--keys", self.server.address("own"), status=1))
            self.assertIn("in another database", run("init", "x.spoor", "--keys", keys.address("k"), status=2))
            with_password = keys.address("k").replace("postgres:///", "postgres://spoor:hunter2@/")
            self.assertIn("password", run("init", address, "--keys", with_password, status=1))
            self.assertIn("sealed with keys in: " + keys.address("k"), run("init", address, "--keys", keys.address("k")))
            for text in ("the first turn", "the number is 4711 0815", "the last turn"):
                run("user", text)
            files = b"".join(path.read_bytes() for path in pathlib.Path(self.server.folder, "data").rglob("*") if path.is_file())
            self.assertNotIn(b"4711 0815", files)
            self.psql(self.server, "postgres", "CREATE TABLE backup AS SELECT o.* FROM spoor.objects o "
                      "JOIN spoor.stores s ON s.id = o.store WHERE s.name = 'sealed'")
            keys.stop()
            stopped = True
            self.assertIn("the database of the keys", erase(1))
            self.assertEqual("0\n", self.psql(self.server, "postgres", "SELECT count(*) FROM spoor.properties "
                                              "WHERE key = 'erasure.unfinished'"))
            keys.start()
            stopped = False
            self.assertIn("4711 0815", run("log"))
            erase(0)
            self.assertIn("[erased: a customer asked]", run("log"))
            run("store", "fsck")
            self.psql(self.server, "postgres", "INSERT INTO spoor.objects SELECT * FROM backup ON CONFLICT DO NOTHING")
            self.assertIn("its key is gone", self.run_on(address, "store", "fsck")[1])
            run("show", "HEAD")
            self.assertIn("[erased: a customer asked]", run("log"))
            self.psql(self.server, "postgres", "DELETE FROM spoor.objects o USING backup b "
                      "WHERE o.oid = b.oid AND o.kind >= 256")
        finally:
            if not stopped:
                keys.stop()

    def test_a_server_that_is_away_is_waited_for_until_ctrl_c(self):
        environment = self.environment | {"SPOOR_STORE": "postgres://127.0.0.1:1/x"}
        waiting = subprocess.Popen([PROGRAM, "log"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertIn("waiting: cannot connect: ", waiting.stderr.readline())
        begin = time.monotonic()
        waiting.send_signal(signal.SIGINT)
        self.assertEqual(("", ""), waiting.communicate(timeout=10))
        self.assertEqual(130, waiting.returncode)
        self.assertLess(time.monotonic() - begin, 1)

    def test_a_server_that_does_not_answer_is_named_and_left(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"postgres://ann@127.0.0.1:{silent.getsockname()[1]}/x?connect_timeout=2"
            environment = self.environment | {"SPOOR_STORE": address, "SPOOR_PATIENCE": "1"}
            for words in (["log"], ["init", address]):
                begin = time.monotonic()
                done = subprocess.run([PROGRAM, *words], env=environment, capture_output=True, text=True, check=False)
                self.assertLess(time.monotonic() - begin, 5)
                self.assertEqual(1, done.returncode)
                self.assertRegex(done.stderr, r"^waiting: '127\.0\.0\.1' does not answer\n"
                                 r"error: .*'127\.0\.0\.1' does not answer.*\nhint: is the server running")

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
