#!/usr/bin/env python3
"""The same conversation kept by spoor and by others: SPOOR_PROGRAM=build/bench/spoor bench/peers.py

A conversation of N turns, user and assistant, about 350 bytes each. Each turn is appended in a
transaction of its own. Then the last 20 turns are read, and all of them, each from a newly opened
store. Prints a table in Markdown, with a row for each program and length. All files are in memory
(/dev/shm) where there is such a folder.

    spoor      one `spoor batch`, a request a turn, each sent after the last answer; whole processes
               of `spoor log` to read
    SQLite     a table of messages, journal in WAL mode, synchronous=FULL
    git        a blob, a tree and a commit a turn: by libgit2 (pygit2), and by the program
    llm        simonw's llm, its own log of responses (0.36; each sent without the earlier ones)
    LangGraph  its saver for SQLite: a checkpoint of the state a turn, as its graphs write them

Those that are not installed are left out (PyPI: pygit2, llm, langgraph-checkpoint-sqlite), and
lengths at which one of them would take minutes.
"""
import argparse
import json
import os
import pathlib
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
import uuid

PROGRAM = os.environ.get("SPOOR_PROGRAM", "spoor")
LENGTHS = [1_000, 10_000, 100_000]
LAST = 20


def texts(count):
    rng = random.Random(1)
    words = ["word%d" % n for n in range(2000)]
    return ["turn %d: %s" % (n, " ".join(rng.choices(words, k=rng.randrange(5, 85))))
            for n in range(count)]


def role(number):
    return "assistant" if number % 2 else "user"


def size_of(path):
    path = pathlib.Path(path)
    """Bytes that the files take on the disk."""
    if path.is_file():
        return sum(file.stat().st_blocks * 512 for file in path.parent.glob(path.name + "*"))
    return sum(file.stat().st_blocks * 512 for file in path.rglob("*") if file.is_file())


def run(*command, **more):
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)
    if done.returncode:
        sys.exit("%s: %s" % (" ".join(command), done.stderr.decode()[:500]))


class Spoor:
    name = "spoor"
    most = 100_000

    def __init__(self, folder):
        self.path = str(folder / "store")
        self.environment = dict(os.environ, XDG_DATA_HOME=str(folder / "data"))
        run(PROGRAM, "--store", self.path, "init", env=self.environment)

    def write(self, turns):
        talk = subprocess.Popen([PROGRAM, "--store", self.path, "batch"], env=self.environment,
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for number, text in enumerate(turns):
            talk.stdin.write(json.dumps({"op": role(number), "text": text}).encode() + b"\n")
            talk.stdin.flush()
            if not talk.stdout.readline().startswith(b'{"result"'):
                sys.exit("spoor batch refused a turn")
        talk.stdin.close()
        talk.wait()

    def read(self, count):
        limit = ["-n", str(count)] if count else []
        run(PROGRAM, "--store", self.path, "log", "--json", *limit, "main", env=self.environment)


class Sqlite:
    name = "a SQLite table"
    most = 100_000

    def __init__(self, folder):
        self.path = str(folder / "store")
        database = sqlite3.connect(self.path)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("CREATE TABLE messages(id INTEGER PRIMARY KEY, role TEXT, body TEXT, at REAL)")
        database.commit()
        database.close()

    def write(self, turns):
        database = sqlite3.connect(self.path, isolation_level=None)
        database.execute("PRAGMA synchronous=FULL")
        for number, text in enumerate(turns):
            database.execute("INSERT INTO messages(role,body,at) VALUES(?,?,?)",
                             (role(number), text, time.time()))
        database.close()

    def read(self, count):
        database = sqlite3.connect(self.path)
        database.execute("SELECT id,role,body,at FROM messages ORDER BY id DESC LIMIT ?",
                         (count or -1,)).fetchall()
        database.close()


class Libgit2:
    name = "git, by libgit2"
    most = 10_000

    def __init__(self, folder):
        import pygit2
        self.git = pygit2
        self.path = str(folder / "store")
        pygit2.init_repository(self.path, bare=True)

    def write(self, turns):
        repository = self.git.Repository(self.path)
        author = self.git.Signature("a", "a@example.org")
        tip = []
        for number, text in enumerate(turns):
            blob = repository.create_blob(text.encode())
            tree = repository.TreeBuilder()
            tree.insert("text", blob, self.git.enums.FileMode.BLOB)
            tip = [repository.create_commit("refs/heads/main", author, author, role(number),
                                            tree.write(), tip)]

    def read(self, count):
        repository = self.git.Repository(self.path)
        tip = repository.lookup_reference("refs/heads/main").target
        for number, commit in enumerate(repository.walk(tip)):
            if count and number == count:
                break
            commit.tree["text"].data


class Git:
    name = "git, the program"
    most = 1_000

    def __init__(self, folder):
        self.path = str(folder / "store")
        run("git", "init", "-q", "-b", "main", self.path)

    def write(self, turns):
        for text in turns:
            run("git", "-C", self.path, "-c", "user.name=a", "-c", "user.email=a@example.org",
                "commit", "-q", "--allow-empty", "--no-verify", "-m", text)

    def read(self, count):
        limit = ["-%d" % count] if count else []
        run("git", "-C", self.path, "--no-pager", "log", "--format=%H %an %at %B", *limit)


class Llm:
    name = "llm"
    most = 10_000

    def __init__(self, folder):
        import llm
        import llm.migrations
        import sqlite_utils

        class Echo(llm.Model):
            model_id = "echo"

            def execute(self, prompt, stream, response, conversation):
                yield prompt.prompt[::-1]

        self.path = str(folder / "logs.db")
        self.open = lambda: sqlite_utils.Database(self.path)
        llm.migrations.migrate(self.open())
        self.model = Echo()

    def write(self, turns):
        database = self.open()
        conversation = self.model.conversation()
        for question in turns[::2]:  # A response is two turns.
            response = conversation.prompt(question)
            response.text()
            response.log_to_db(database)
            conversation.responses.clear()

    def read(self, count):
        rows = self.open().query("SELECT role,text FROM parts JOIN messages ON hash=message_hash "
                                 "ORDER BY parts.id DESC LIMIT %d" % (count or -1))
        if not count and len(list(rows)) < 100:
            sys.exit("llm keeps its messages elsewhere: see %s" % self.path)
        list(rows)


class LangGraph:
    name = "LangGraph's saver"
    most = 1_000

    def __init__(self, folder):
        from langgraph.checkpoint.sqlite import SqliteSaver
        self.saver = SqliteSaver
        self.path = str(folder / "store")

    def write(self, turns):
        with self.saver.from_conn_string(self.path) as saver:
            saver.setup()
            config = {"configurable": {"thread_id": "t", "checkpoint_ns": ""}}
            messages = []
            for number, text in enumerate(turns):
                messages.append((role(number), text))
                version = str(number + 1)
                checkpoint = {"v": 4, "id": str(uuid.UUID(int=number)), "ts": "2026-01-01T00:00:00Z",
                              "channel_values": {"messages": messages},
                              "channel_versions": {"messages": version}, "versions_seen": {}}
                config = saver.put(config, checkpoint, {"step": number}, {"messages": version})

    def read(self, count):
        # The newest checkpoint has all messages.
        with self.saver.from_conn_string(self.path) as saver:
            saver.get_tuple({"configurable": {"thread_id": "t"}})


PEERS = [Spoor, Sqlite, Libgit2, Git, Llm, LangGraph]


def seconds(work):
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def measure(kind, count, turns):
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    folder = pathlib.Path(tempfile.mkdtemp(dir=memory))
    try:
        peer = kind(folder)
        written = seconds(lambda: peer.write(turns[:count]))
        last = min(seconds(lambda: peer.read(LAST)) for _ in range(5))
        everything = min(seconds(lambda: peer.read(0)) for _ in range(2))
        return count / written, last * 1e3, everything * 1e3, size_of(peer.path) / count
    finally:
        shutil.rmtree(folder)


def is_there(kind):
    folder = pathlib.Path(tempfile.mkdtemp())
    try:
        kind(folder)
        return True
    except (ImportError, FileNotFoundError) as problem:
        print("left out: %s (%s)" % (kind.name, problem), file=sys.stderr)
        return False
    finally:
        shutil.rmtree(folder)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("lengths", type=int, nargs="*", help="numbers of turns (default: %s)" % LENGTHS)
    lengths = parser.parse_args().lengths or LENGTHS
    turns = texts(max(lengths))
    print("| kept by | turns | appended a second | the last 20, ms | all of them, ms | bytes a turn |")
    print("|---|---|---|---|---|---|")
    for kind in PEERS:
        if not is_there(kind):
            continue
        for count in lengths:
            if count > kind.most:
                continue
            row = measure(kind, count, turns)
            print("| %s | %s | %s | %.1f | %s | %s |" % (
                kind.name, format(count, ","), format(round(row[0]), ","), row[1],
                format(round(row[2]), ","), format(round(row[3]), ",")), flush=True)


if __name__ == "__main__":
    main()
