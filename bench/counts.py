#!/usr/bin/env python3
"""Counts what operations cost, and fails if one costs more than the baseline says.

    counts.py PROGRAM [--write REASON] [--only NAME]... [--baseline FILE]

The counts are those of callgrind, so they hardly depend on the machine or on what else it does:
instructions, calls of malloc, steps of SQLite's statements, system calls; and the bytes that write
calls were given (strace). They do depend on the compiler and on libraries, whose versions the
baseline names: with others the counts are printed and not compared.

An operation is a whole process, or a request to `spoor batch`: then it is the difference between
many requests and few, divided by their number, with each request sent after the last answer. Of
`spoor receive` all processes are counted.

--write REASON makes the counts the baseline. The reason is kept in it.
"""
import argparse
import http.client
import json
import os
import pathlib
import platform
import re
import shutil
import signal
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
MOST_GROWTH = 1.03
# Below these a difference says nothing: a page more of a file, a lock taken twice.
SLACK = {"instructions": 2000, "allocations": 4, "steps": 2, "system_calls": 4,
         "bytes_written": 8192}
KINDS = list(SLACK)
PACKAGES = ["libc6", "libsqlite3-0", "libfmt9", "libre2-9", "libzstd1", "libssl3", "valgrind"]
TURNS = 1000
LONG = 20_000  # Turns of the store `long`.


def words(seed, count):
    """Words that differ from turn to turn, and are the same in every run."""
    state = seed * 2654435761 % 2**32
    out = []
    for _ in range(count):
        state = (state * 1664525 + 1013904223) % 2**32
        out.append("%s%d" % (("read", "line", "cart", "test", "sum")[state >> 29 & 3], state >> 20))
    return " ".join(out)


def turn(number, seed=0):
    """A request that appends a turn, as in a coding session: every fifth has a tool call."""
    text = "turn %d: %s" % (number, words(number + 7919 * seed, number * 37 % 60))
    if number % 5 == 1:
        call = {"id": "c%d" % number, "name": "Bash", "arguments": {"command": "make test"}}
        return {"op": "assistant", "text": text, "tool_calls": [call]}
    if number % 5 == 2:
        return {"op": "tool", "text": text, "call_id": "c%d" % (number - 1), "name": "Bash"}
    return {"op": "user" if number % 2 else "assistant", "text": text}


def with_fields(number):
    return {"op": "assistant", "text": words(number, 40), "metadata": {"model": "m", "n": number},
            "tool_calls": [{"id": "f%d" % number, "name": "Read", "arguments": {"path": "a.py"}}],
            "raw": [json.dumps({"type": "message", "n": number, "text": words(number, 40)})]}


class Process:
    """A whole process, in a copy of the store `of`. `before` are commands that are not counted."""

    def __init__(self, *arguments, before=(), of="main"):
        self.arguments, self.before, self.store = arguments, before, of


class Requests:
    """Requests to `spoor batch`: request(i) returns the list of them for one operation."""

    def __init__(self, request, few=20, many=120):
        self.request, self.few, self.many = request, few, many
        self.store = "main"


class Receiver:
    """`spoor receive`, from its start to its end, with one post. Its store is new."""

    def __init__(self, post):
        self.post = post
        self.store = None


def said(role, text):
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def traces(count, calls):
    """A post of traces: each is a conversation, and each call of a model was given all before it."""
    def attribute(key, text):
        return {"key": key, "value": {"stringValue": text}}

    spans = []
    for trace in range(count):
        given = [said("user", words(trace, 200))]
        for call in range(calls):
            answer = said("assistant", words(1000 * trace + call, 40))
            spans.append({"traceId": "%032x" % (trace + 1), "spanId": "%016x" % (1000 * trace + call + 1),
                          "name": "chat", "startTimeUnixNano": str(1780000000000000000 + call),
                          "endTimeUnixNano": str(1780000000000000001 + call),
                          "attributes": [attribute("gen_ai.operation.name", "chat"),
                                         attribute("gen_ai.conversation.id", "c%d" % trace),
                                         attribute("gen_ai.input.messages", json.dumps(given)),
                                         attribute("gen_ai.output.messages", json.dumps([answer]))]})
            given += [answer, said("user", words(call + 7, 20))]
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode()


SESSIONS = [SOURCE / "examples/data/sample-session.jsonl", SOURCE / "examples/data/second-session.jsonl"]
PHRASE = "turn 77: "
OPERATIONS = {
    "start": Process("version"),
    "open and close": Process("branch"),
    "commit": Requests(lambda i: [turn(i, 1)]),
    "commit with fields": Requests(lambda i: [with_fields(i)]),
    "commit 1,000 at once": Requests(
        lambda i: [{"op": "transaction", "ops": [turn(1000 * i + n, 2) for n in range(1000)]}], 1, 3),
    "import": Process("import", *map(str, SESSIONS), of=None),
    "log": Process("log", "-n", "20"),
    "show": Process("show", "main~500"),
    "show, long line": Process("show", "main~9000", before=[["show", "main~1"]], of="long"),
    "compile --budget, long line": Process("compile", "main~9000", "--budget", "1000",
                                           before=[["show", "main~1"]], of="long"),
    "compile, cold": Process("compile", "main"),
    "compile, hot": Requests(lambda i: [{"op": "compile", "rev": "main"}], 2, 12),
    "fold after a commit": Requests(lambda i: [turn(i, 3), {"op": "show"}]),
    "resolve": Requests(lambda i: [{"op": "resolve", "rev": "main~%d" % (i * 7)}]),
    "diff": Process("diff", "main~20", "main"),
    "search": Process("search", PHRASE),
    "search --query": Process("search", "--query", '"turn 77"',
                              before=[["search", "--query", '"turn 77"']]),
    "why": Process("why", PHRASE, "main"),
    "blame": Process("blame", "main"),
    "rebase": Process("rebase", "main", before=[["switch", "side"]]),
    "gc": Process("store", "gc", "--prune", "--retention", "now",
                  before=[["switch", "side"], ["rebase", "main"]]),
    "sessions": Process("sessions"),
    "cost": Process("cost", "--by", "day"),
    "debrief": Process("debrief", "claude-code/5b0e6c1a"),
    "events": Process("events", "claude-code/5b0e6c1a"),
    "check": Process("check", "claude-code/5b0e6c1a", "--constraints",
                     str(SOURCE / "examples/data/constraints.toml")),
    "receive": Receiver(traces(20, 10)),
    "redaction": Process("store", "redact", "scan", str(SESSIONS[0])),
}
MAY_FAIL = {"check", "redaction"}  # Their exit status says what they found.


class Bench:
    def __init__(self, program, folder):
        self.program, self.folder = program, pathlib.Path(folder)
        home = self.folder / "home"
        home.mkdir()
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8",
                            "SPOOR_NOW": "2026-01-02T03:04:05Z", "TMPDIR": str(self.folder)}
        self.number = 0
        self.prepare()

    def run(self, store, *arguments, **more):
        done = subprocess.run([self.program, "--store", store, *arguments], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)
        if done.returncode:
            sys.exit("%s: %s" % (arguments, done.stderr.decode()))
        return done.stdout

    def prepare(self):
        """The stores that operations find: one of two sessions, a branch of 1,000 turns and another,
        and one of a single long line."""
        store = str(self.folder / "main")
        self.run(store, "init")
        self.run(store, "import", *map(str, SESSIONS))
        self.batch(store, [*self.transactions("main", TURNS),
                           {"op": "branch", "name": "side", "to": "main~100"},
                           *self.transactions("side", 100, 4),
                           {"op": "switch", "branch": "main"}])
        store = str(self.folder / "long")
        self.run(store, "init")
        self.batch(store, self.transactions("main", LONG))

    @staticmethod
    def transactions(branch, turns, seed=0):
        return [{"op": "transaction",
                 "ops": [dict(turn(n, seed), branch=branch) for n in range(start, start + 100)]}
                for start in range(0, turns, 100)]

    def batch(self, store, ops):
        lines = "".join(json.dumps(op) + "\n" for op in ops)
        answers = self.run(store, "batch", input=lines.encode())
        if b'"error"' in answers:
            sys.exit("the store cannot be made: %s" % answers.decode()[:2000])

    def fresh(self, operation):
        """A copy of that store, or a new one, after what the operation says comes before it."""
        self.number += 1
        folder = self.folder / ("store-%03d" % self.number)
        folder.mkdir()
        store = str(folder / "main")
        if operation.store:
            for file in self.folder.glob(operation.store + "*"):
                shutil.copy(file, folder / file.name.replace(operation.store, "main", 1))
            self.run(store, "store", "trust")
        else:
            self.run(store, "init")
        for command in getattr(operation, "before", ()):
            self.run(store, *command)
        return store

    def under(self, name, operation, tool, requests=()):
        """Runs the operation under a tool."""
        store = self.fresh(operation)
        command = [*tool, self.program, "--store", store]
        if isinstance(operation, Receiver):
            self.receive(tool, operation.post, pathlib.Path(store).parent)
        elif isinstance(operation, Process):
            done = subprocess.run(command + list(operation.arguments), env=self.environment,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if done.returncode not in ((0, 1) if name in MAY_FAIL else (0,)):
                sys.exit("%s: %s" % (name, done.stderr.decode()))
        else:
            talk = subprocess.Popen(command + ["batch"], env=self.environment, stdin=subprocess.PIPE,
                                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
            for request in requests:
                talk.stdin.write(json.dumps(request).encode() + b"\n")
                talk.stdin.flush()
                answer = talk.stdout.readline()
                if not answer.startswith(b'{"result"'):
                    sys.exit("%s: %s" % (name, answer.decode()[:500]))
            talk.stdin.close()
            talk.wait()
        shutil.rmtree(pathlib.Path(store).parent)

    def receive(self, tool, post, home):
        serving = subprocess.Popen([*tool, self.program, "receive", "--listen", "127.0.0.1:0"], cwd=home,
                                   env=dict(self.environment, HOME=str(home)), stdin=subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        link = http.client.HTTPConnection("127.0.0.1", int(serving.stdout.readline().rsplit(":", 1)[1]))
        link.request("POST", "/v1/traces", post, {"Content-Type": "application/json"})
        status = link.getresponse().status
        link.close()
        process = serving.pid
        if tool[0] == "strace":  # It would leave the program alone.
            process = int(pathlib.Path("/proc/%d/task/%d/children" % (process, process)).read_text().split()[0])
        os.kill(process, signal.SIGTERM)
        told = serving.communicate()[1]
        if status != 200 or serving.returncode != 0:
            sys.exit("receive: %d %s" % (status, told))

    def count_once(self, name, operation, requests=()):
        out = self.folder / "callgrind"
        self.under(name, operation, ["valgrind", "-q", "--tool=callgrind", "--collect-systime=yes",
                                     "--callgrind-out-file=%s.%%p" % out], requests)
        # The first process is ours; it may have started others.
        files = sorted(self.folder.glob("callgrind.*"), key=lambda f: int(f.suffix[1:]))
        each = [read_callgrind(file.read_text()) for file in files]
        counts = {kind: sum(one[kind] for one in each) for kind in each[0]}
        if not isinstance(operation, Receiver):
            counts = each[0]
        for file in files:
            file.unlink()
        log = self.folder / "strace"
        self.under(name, operation, ["strace", "-f", "-qq", "-o", str(log), "-e",
                                     "trace=write,pwrite64,writev,pwritev"], requests)
        counts["bytes_written"] = bytes_in(log.read_text())
        return counts

    def count(self, name, operation):
        if not isinstance(operation, Requests):
            return self.count_once(name, operation)
        few, many = [self.count_once(name, operation,
                                     [r for i in range(n) for r in operation.request(i)])
                     for n in (operation.few, operation.many)]
        return {kind: round((many[kind] - few[kind]) / (operation.many - operation.few))
                for kind in KINDS}


def read_callgrind(text):
    """Instructions, system calls, and how often functions were called (its manual, "Format")."""
    names, called = {}, {"malloc": 0, "calloc": 0, "realloc": 0, "sqlite3_step": 0}
    callee = None
    for line in text.splitlines():
        if line.startswith("cfn="):
            number, _, name = line[4:].partition(" ")
            if name:
                names[number] = name
            callee = names.get(number, number)
        elif line.startswith("fn="):
            number, _, name = line[3:].partition(" ")
            if name:
                names[number] = name
        elif line.startswith("calls=") and callee in called:
            called[callee] += int(line[6:].split()[0])
        elif line.startswith("events:"):
            events = line.split()[1:]
        elif line.startswith("totals:"):
            totals = dict(zip(events, map(int, line.split()[1:])))
    return {"instructions": totals["Ir"], "system_calls": totals["sysCount"],
            "steps": called["sqlite3_step"],
            "allocations": called["malloc"] + called["calloc"] + called["realloc"]}


def bytes_in(log):
    """Bytes given to write calls, but for those to standard output and error."""
    total = 0
    for line in log.splitlines():
        found = re.search(r"(?:write|pwrite64|writev|pwritev)\((\d+),.*= (\d+)$", line)
        if found and int(found[1]) > 2:
            total += int(found[2])
    return total


def versions(compiler):
    # Under valgrind a program sees these of the processor's features, and libraries choose by them.
    flags = re.search(r"^flags.*$", pathlib.Path("/proc/cpuinfo").read_text(), re.M)
    has_avx2 = bool(flags) and " avx2" in flags[0]
    found = {"compiler": compiler, "machine": platform.machine() + (" avx2" if has_avx2 else "")}
    for package in PACKAGES:
        asked = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        found[package] = asked.stdout.decode() if asked.returncode == 0 else "none"
    return found


def worse(old, new):
    return [kind for kind in KINDS
            if new[kind] > old[kind] * MOST_GROWTH and new[kind] > old[kind] + SLACK[kind]]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--compiler", default="unknown")
    parser.add_argument("--write", metavar="REASON")
    parser.add_argument("--only", action="append")
    parser.add_argument("--baseline", type=pathlib.Path, default=SOURCE / "bench/counts.json")
    options = parser.parse_args()
    for tool in ("valgrind", "strace"):
        if not shutil.which(tool):
            print("skipped: no %s on this machine" % tool)
            return 0
    baseline = json.loads(options.baseline.read_text()) if options.baseline.exists() else {}
    now = versions(options.compiler)
    is_same = baseline.get("versions") == now
    known = baseline.get("operations", {})
    names = options.only or list(OPERATIONS)

    failed, counts = [], {}
    print("%-22s %13s %11s %8s %12s %13s" % ("", *[kind.replace("_", " ") for kind in KINDS]))
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        bench = Bench(os.path.abspath(options.program), folder)
        for name in names:
            new = bench.count(name, OPERATIONS[name])
            if is_same and name in known and worse(known[name], new) and not options.write:
                again = bench.count(name, OPERATIONS[name])  # A signal or a wait may come between.
                new = {kind: min(new[kind], again[kind]) for kind in KINDS}
            counts[name] = new
            print("%-22s %13s %11s %8s %12s %13s" %
                  (name, *["{:,}".format(new[kind]) for kind in KINDS]), flush=True)
            if not is_same or options.write:
                continue
            if name not in known:
                failed.append("%s: not in the baseline" % name)
                continue
            for kind in worse(known[name], new):
                failed.append("%s: %s %s, baseline %s" % (name, kind.replace("_", " "),
                              "{:,}".format(new[kind]), "{:,}".format(known[name][kind])))
    if options.write:
        kept = {**known, **counts} if is_same else counts
        made = {"reason": options.write, "versions": now, "operations": kept}
        options.baseline.write_text(json.dumps(made, indent=1) + "\n")
        return 0
    if not is_same:
        others = {k: v for k, v in now.items() if baseline.get("versions", {}).get(k) != v}
        print("not compared: the baseline is of other versions than %s" % others)
        return 0
    for line in failed:
        print("worse: " + line)
    if failed:
        print("hint: mend it, or say why: bench/counts.py PROGRAM --write REASON")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
