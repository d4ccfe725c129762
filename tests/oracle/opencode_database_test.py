"""OpenCode's database against Python's sqlite3: what it has is what spoor has of it, it is what an import of the same
sessions' exports makes, and nothing is written to it or next to it."""
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import opencode_database as made  # noqa: E402
import oracle  # noqa: E402
from readers import opencode as reader  # noqa: E402

PROGRAM = os.environ["SPOOR_PROGRAM"]
SEED = 20261127 + int(os.environ.get("SPOOR_SEED", "0"))
SHARED = HERE.parent.parent.parent / "shared" / "data" / "opencode-prsui"


class Home:
    def __init__(self, folder):
        self.path = pathlib.Path(folder)
        self.environment = {"HOME": folder, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}

    def run(self, *words, text=None):
        return subprocess.run([PROGRAM, *words], env=self.environment, cwd=self.path, input=text, capture_output=True,
                              text=True, timeout=120, check=False)

    def spoor(self, *words, text=None):
        ran = self.run(*words, text=text)
        if ran.returncode:
            raise AssertionError(f"{words}: {ran.returncode} {ran.stdout} {ran.stderr}")
        return ran.stdout

    def refs(self, store):
        answer = json.loads(self.spoor("-s", store, "batch", text='{"op":"refs","prefix":"refs/"}\n'))
        return {ref["name"]: ref["hash"] for ref in answer["result"]["refs"]}


def bytes_of(folder):
    """The files of a folder, by their names. Another process reads them: this one would lose its locks as it closes them."""
    return subprocess.run("sha256sum -- *", shell=True, cwd=folder, capture_output=True, check=True).stdout


class OpenCodeDatabase(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.home = Home(self.folder.name)
        self.place = self.home.path / "data"
        self.place.mkdir()
        self.path = self.place / "opencode.db"

    def create(self, exports=()):
        database = made.create(self.path)
        self.addCleanup(database.close)
        for export in exports:
            made.insert(database, export)
        return database

    def check_same(self, exports):
        """What is in the store of the database is what is in one of the exports."""
        exports = sorted(exports, key=lambda each: (each["info"]["time"]["created"], each["info"]["id"]))
        for number, export in enumerate(exports):
            file = self.home.path / f"export-{number}.json"
            file.write_text(made.dumps(export), encoding="utf-8")
            self.home.spoor("-s", "exports", "import", str(file))
        self.home.spoor("-s", "database", "import", str(self.path))
        # The last import is named by its files.
        both = [{name: oid for name, oid in self.home.refs(store).items() if not name.startswith("refs/imports/")}
                for store in ("exports", "database")]
        self.assertEqual(*both)
        self.assertTrue(any(name.startswith("refs/heads/") for name in both[0]))
        again = self.home.spoor("-s", "database", "import", str(self.path))
        self.assertIn("new: 0 turns, 0 notes", again)
        for export in exports:
            name = export["info"]["id"].removeprefix("ses_")
            note = json.loads(self.home.spoor("-s", "database", "show", "--text", f"refs/sources/opencode/{name}"))
            self.assertEqual(note["info"].get("parentID"), export["info"].get("parentID"))
            self.assertEqual(note["info"]["title"], export["info"]["title"])

    def models_of(self, store):
        """How many answers and thoughts of each model the store has, on any line, each once."""
        found = {}
        for name in self.home.refs(store):
            if name.startswith("refs/heads/"):
                for turn in json.loads(self.home.spoor("-s", store, "log", name, "--commits", "--json"))["commits"]:
                    if turn["type"] in ("assistant", "reasoning", "compress", "summary"):
                        found[turn["hash"]] = turn["model"]
        counts = {}
        for model in found.values():
            counts[model] = counts.get(model, 0) + 1
        return counts

    def expected_models(self):
        database = sqlite3.connect(f"file:{self.path}?mode=ro", uri=True)
        counts = {}
        for message, data in database.execute("SELECT id, data FROM message"):
            info = json.loads(data)
            if info["role"] != "assistant":
                continue
            kinds = [json.loads(part)["type"] for (part,) in
                     database.execute("SELECT data FROM part WHERE message_id = ?", [message])]
            turns = kinds.count("reasoning") + (1 if {"text", "tool"} & set(kinds) else 0)
            counts[info["modelID"]] = counts.get(info["modelID"], 0) + turns
        database.close()
        return counts

    def test_random_sessions_are_in_the_store_as_they_are_in_the_database(self):
        for round_ in range(6):
            with self.subTest(seed=SEED + round_):
                self.setUp()
                exports = made.Sessions(SEED + round_).some()
                self.create(exports).close()
                _, differences = oracle.check(PROGRAM, reader, self.path)
                self.assertEqual([], [str(each) for each in differences])
                self.check_same(exports)
                self.assertEqual(self.models_of("database"), self.expected_models())

    def test_exports_of_others_give_the_same_commits_from_a_database(self):
        exports = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SHARED.glob("ses_*/*"))]
        if not exports:
            self.skipTest(f"no sessions at {SHARED}")
        self.create(exports)
        self.check_same(exports)

    def test_nothing_is_written_whatever_lies_next_to_the_database(self):
        exports = made.Sessions(SEED).some()
        database = self.create(exports)
        turns = None
        for state in ("open", "without an index", "complete", "an index without a log", "a log that is empty"):
            if state == "without an index":  # As a copy that somebody made.
                log = (self.place / "opencode.db-wal").read_bytes()
                main = self.path.read_bytes()
                database.close()
                self.path.write_bytes(main)
                (self.place / "opencode.db-wal").write_bytes(log)
            if state == "complete":
                (self.place / "opencode.db-wal").unlink()
                sqlite3.connect(self.path).close()
                self.path.write_bytes(whole)
            if state == "an index without a log":
                (self.place / "opencode.db-shm").write_bytes(b"\0" * 32768)
            if state == "a log that is empty":
                (self.place / "opencode.db-wal").write_bytes(b"")
                (self.place / "opencode.db-shm").unlink()
            with self.subTest(state=state):
                before = bytes_of(self.place)
                said = self.home.spoor("-s", state.replace(" ", "-"), "import", str(self.path))
                self.assertEqual(before, bytes_of(self.place))
                turns = turns or said.splitlines()[-3]
                self.assertIn(turns, said)
                self.assertRegex(turns, r"new: [1-9]\d* turns")
            if state == "open":
                copy = sqlite3.connect(self.home.path / "whole.db")
                database.backup(copy)
                copy.execute("PRAGMA journal_mode=WAL")
                copy.close()
                whole = (self.home.path / "whole.db").read_bytes()

    def test_a_database_that_is_written_all_the_time_is_read_in_one_state(self):
        sessions = made.Sessions(SEED)
        first = sessions.session()
        database = self.create([first])
        stop = threading.Event()

        def write():  # Question and answer, or neither.
            mine = sqlite3.connect(self.path, isolation_level=None)
            mine.execute("PRAGMA wal_autocheckpoint=3")
            while not stop.is_set():
                name = first["info"]["id"]
                asked = sessions.question(name)
                mine.execute("BEGIN IMMEDIATE")
                made.insert_message(mine, asked)
                made.insert_message(mine, sessions.answer(name, asked["info"]["id"], [{"type": "text", "text": "yes"}]))
                mine.execute("COMMIT")
            mine.close()

        writer = threading.Thread(target=write)
        writer.start()
        try:
            for number in range(5):
                self.home.spoor("-s", f"s{number}", "import", str(self.path))
                branch = json.loads(self.home.spoor("-s", f"s{number}", "branch", "--json"))["branches"][0]["name"]
                turns = json.loads(self.home.spoor("-s", f"s{number}", "log", branch, "--commits", "--json"))["commits"]
                self.assertEqual("assistant" if "revert" not in first["info"] else turns[0]["type"], turns[0]["type"])
                self.home.spoor("-s", f"s{number}", "store", "fsck")
        finally:
            stop.set()
            writer.join()
        database.close()

    def test_what_is_no_database_of_opencode_is_an_error(self):
        exports = made.Sessions(SEED).some()

        def fails(words, change):
            with self.subTest(words=words):
                self.setUp()
                database = self.create(exports)
                database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
                change(database)
                before = bytes_of(self.place)
                ran = self.home.run("import", str(self.path))
                self.assertEqual(1, ran.returncode, ran.stdout)
                self.assertIn(words, ran.stderr)
                self.assertIn("hint: ", ran.stderr)
                self.assertEqual(before, bytes_of(self.place))
                database.close()

        fails("without OpenCode's table 'part'", lambda db: db.execute("DROP TABLE part"))
        fails("has no column 'data'", lambda db: db.execute("ALTER TABLE message RENAME COLUMN data TO body"))

        def view(db):
            db.execute("ALTER TABLE part RENAME TO parts")
            db.execute("CREATE VIEW part AS SELECT * FROM parts")
        fails("without OpenCode's table 'part'", view)

        def virtual(db):
            db.execute("DROP TABLE part")
            db.execute("CREATE VIRTUAL TABLE part USING fts5(id, message_id, session_id, time_updated, data)")
        fails("without OpenCode's table 'part'", virtual)

        def damage(db):
            db.close()
            whole = bytearray(self.path.read_bytes())
            for at in range(4096 * 2, len(whole), 4096):
                whole[at:at + 100] = b"\xff" * 100
            self.path.write_bytes(whole)
        fails("cannot read '", damage)

        def cut(db):
            db.close()
            self.path.write_bytes(self.path.read_bytes()[:5000])
        fails("cannot read '", cut)

        def other(db):
            db.close()
            self.path.write_bytes(b"SQLite format 3\0" + b"\1" * 4080)
        fails("cannot read '", other)

        def lock(db):
            db.execute("PRAGMA journal_mode=DELETE")
            db.execute("BEGIN EXCLUSIVE")
        fails("another program holds '", lock)

    def test_a_database_with_any_bytes_changed_is_read_or_refused(self):
        chance = random.Random(SEED)
        self.create(made.Sessions(SEED).some()).close()
        whole = self.path.read_bytes()
        for number in range(60):
            data = bytearray(whole)
            for _ in range(chance.randint(1, 30)):
                at = chance.randrange(chance.choice([100, 4096, len(data)]))
                data[at:at + 1] = bytes(chance.randrange(256) for _ in range(chance.randint(0, 3)))
            self.path.write_bytes(data)
            before = bytes_of(self.place)
            with self.subTest(number=number):
                ran = self.home.run("-s", f"s{number}", "import", str(self.path))
                self.assertIn(ran.returncode, (0, 1), ran.stderr)
                self.assertEqual(before, bytes_of(self.place))

    def test_rows_that_cannot_be_read_are_named_and_the_others_are_imported(self):
        sessions = made.Sessions(SEED)
        export = {**sessions.session(), "messages": []}
        export["info"].pop("revert", None)
        name = export["info"]["id"]
        database = self.create([export])
        asked = sessions.question(name)
        made.insert_message(database, asked)
        bad = ["", "null", "[]", "{", '{"type":"text"} x', '{"type":"text","text":"\x00', b"\xff\x00", 5, "{}}", "[" * 5000]
        for number, data in enumerate(bad):
            database.execute("INSERT INTO part VALUES (?,?,?,1,1,?)", [f"prt_z{number}", asked["info"]["id"], name, data])
            database.execute("INSERT INTO message VALUES (?,?,?,1,?)", [f"msg_z{number}", name, asked["info"]["time"]["created"] + number, data])
        made.insert_message(database, sessions.answer(name, asked["info"]["id"], [{"type": "text", "text": "the answer"}]))
        ran = self.home.run("import", str(self.path))
        self.assertEqual(1, ran.returncode)
        for kind in ("part 'prt_z", "message 'msg_z"):
            for number in range(len(bad)):
                self.assertIn(f"{kind}{number}' is not a JSON object, not imported", ran.stderr + ran.stdout)
        turns = json.loads(self.home.spoor("log", "--commits", "--json"))["commits"]
        self.assertEqual("the answer", turns[0]["message"])
        self.home.spoor("store", "fsck")

    def test_a_value_that_is_too_long_costs_its_session_only(self):
        sessions = made.Sessions(SEED)
        small, large = sessions.session(), sessions.session()
        database = self.create([small, large])
        database.execute("UPDATE part SET data = ? WHERE id = (SELECT max(id) FROM part WHERE session_id = ?)",
                         ['{"type":"text","text":"' + "y" * (65 << 20) + '"}', large["info"]["id"]])
        ran = self.home.run("import", str(self.path))
        self.assertEqual(1, ran.returncode)
        self.assertIn(f"{large['info']['id']}", ran.stderr + ran.stdout)
        self.assertIn("a value of more than 64 MiB, not imported", ran.stderr + ran.stdout)
        heads = [name for name in self.home.refs(".local/share/spoor/.spoor") if name.startswith("refs/heads/")]
        self.assertTrue(heads and all(small["info"]["id"][4:12] in name for name in heads), heads)

    def test_the_agents_own_place_is_found(self):
        place = self.home.path / ".local/share/opencode"
        place.mkdir(parents=True)
        self.path = place / "opencode.db"
        self.create(made.Sessions(SEED).some())
        said = self.home.spoor("import")
        self.assertIn("found OpenCode", said)
        self.assertRegex(said, r"new: [1-9]\d* turns")

    def watched(self):
        """A watch of the agent's own database, sessions to write there, the database, and a session without messages."""
        place = self.home.path / ".local/share/opencode"
        place.mkdir(parents=True)
        self.path = place / "opencode.db"
        sessions = made.Sessions(SEED)
        database = self.create()
        watch = subprocess.Popen([PROGRAM, "watch"], env=self.home.environment, cwd=self.home.path,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(watch.stdout.close)
        self.addCleanup(watch.wait)
        self.addCleanup(watch.terminate)
        watch.stdout.readline()
        export = {**sessions.session(), "messages": []}
        export["info"].pop("revert", None)
        now = int(time.time() * 1000)
        export["info"]["time"] = {"created": now, "updated": now}
        sessions.now = now
        return watch, sessions, database, export

    def test_a_watch_sees_an_answer_when_it_has_ended(self):
        watch, sessions, database, export = self.watched()
        name = export["info"]["id"]
        made.insert(database, export)

        def turns():
            ran = self.home.run("log", f"opencode/{name[4:12]}", "--commits", "--json")
            return json.loads(ran.stdout)["commits"] if ran.returncode == 0 else []

        def wait_for(count):
            until = time.time() + 30
            while len(turns()) < count and time.time() < until:
                time.sleep(0.1)
            self.assertEqual(count, len(turns()))

        for number in range(3):
            sessions.now = max(sessions.now, int(time.time() * 1000))  # An agent's messages are in order of time.
            asked = sessions.question(name)
            asked["parts"] = asked["parts"][:1]
            made.insert_message(database, asked)
            wait_for(2 * number + 1)
            answer = sessions.answer(name, asked["info"]["id"], [{"type": "text", "text": f"answer {number}"}])
            done = answer["info"]["time"].pop("completed")
            made.insert_message(database, answer)
            database.execute("UPDATE message SET data = json_set(data, '$.summary.title', 'later') WHERE id = ?",
                             [asked["info"]["id"]])
            time.sleep(0.5)
            self.assertEqual(2 * number + 1, len(turns()))  # It is still written.
            database.execute("UPDATE message SET data = json_set(data, '$.time.completed', ?), time_updated = ? WHERE id = ?",
                             [done, int(time.time() * 1000), answer["info"]["id"]])
            wait_for(2 * number + 2)
        watch.terminate()
        watch.wait(60)
        seen = [turn["hash"] for turn in turns()]
        self.home.spoor("import")
        self.assertEqual(seen, [turn["hash"] for turn in turns()])
        self.assertIn("new: 0 turns, 0 notes", self.home.spoor("import"))
        heads = [each for each in self.home.refs(".local/share/spoor/.spoor") if each.startswith("refs/heads/")]
        self.assertEqual(1, len(heads), heads)

    def test_a_watch_sees_a_commit_whose_disk_is_slow(self):
        # A commit is written to the log, the log is synced, then memory says that it counts: a reader that comes in
        # between must look again, though nothing is written any more.
        compiler = shutil.which("c++") or self.skipTest("no compiler")
        (self.home.path / "slow.cc").write_text("""
            #include <unistd.h>
            extern "C" int fdatasync(int) { return usleep(1500000), 0; }
            extern "C" int fsync(int) { return usleep(1500000), 0; }
        """)
        slow = self.home.path / "slow.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", slow, self.home.path / "slow.cc"], check=True)
        _, sessions, database, export = self.watched()
        asked = sessions.question(export["info"]["id"])
        made.insert(database, {**export, "messages": [asked]})
        branch = f"opencode/{export['info']['id'][4:12]}"

        def said():
            ran = self.home.run("log", branch, "--commits", "--json")
            return [turn["message"] for turn in json.loads(ran.stdout)["commits"]] if ran.returncode == 0 else []

        def wait_until(is_so):
            until = time.time() + 30
            while not is_so() and time.time() < until:
                time.sleep(0.1)
            self.assertTrue(is_so())

        wait_until(said)
        before = len(said())
        answer = sessions.answer(export["info"]["id"], asked["info"]["id"], [{"type": "text", "text": "at last"}])
        writing = ("import sys, json; sys.path.insert(0, sys.argv[1]); import opencode_database as made, sqlite3\n"
                   "database = sqlite3.connect(sys.argv[2], isolation_level=None)\n"
                   "made.insert(database, json.loads(sys.argv[3]), has_session=True)\n"
                   "print('written', flush=True); sys.stdin.readline()\n")
        writer = subprocess.Popen([sys.executable, "-c", writing, HERE, self.path, json.dumps({"messages": [answer]})],
                                  env={**os.environ, "LD_PRELOAD": str(slow)}, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual("written", writer.stdout.readline().strip())
            wait_until(lambda: "at last" in said())  # The writer still has it open, and writes no more.
            self.assertEqual(before + 1, len(said()))
        finally:
            writer.communicate("\n")


if __name__ == "__main__":
    unittest.main()
