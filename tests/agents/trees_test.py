"""Kills `spoor fork --n` wherever it can stand, and lets it go on: `ctest -R agents/trees`, or
SPOOR_PROGRAM=build/dev/spoor python3 this-file.

A stand-in (stand_in.py) is the model. A run is recorded, and a tree of attempts is grown from its goal.

- Killed when the k-th request comes in, for each k, and when the n-th test command runs: after that the tree
  goes on by --resume, or by the same command. Each attempt was begun once, the repeated request is the one that
  was not answered, and nothing else was asked twice.
- Killed at moments of the clock, again and again until it is done: each attempt was begun once, its conversation
  is that of one which nobody killed, and each is judged.
- With --parallel, four requests are under way at once, and the limits are those of all.
- Two processes at once: one of them is told that the tree, or the data set, is being worked on.
- Results are the recorded ones: the tools of the original do not run again. With --tools live they do, in copies.
- A hundred forks of 10,000 turns add at most one part in a hundred to the store, and take at most a second.

SPOOR_SOAK has as many times the moments.
"""

import json
import os
import random
import resource
import signal
import subprocess
import sys
import threading

from stand_in import StandIn, answers_in, call, say, texts
from workplace import PATIENCE, PROGRAM, Failed, Workplace, check

MODELS = ("--model", "fake/a", "--model", "fake/b")
N = 2
SEED = 7

TOOL = """#!/bin/sh
echo "$1" >> "$RAN"
echo "tool $1 is done"
"""


def tool(number):
    return call((f"call_{number}", "run_command", {"argv": ["./tool", str(number)]}))


def works(request):
    """Two calls, then the answer; the model `b` calls what was not recorded."""
    made = answers_in(request)
    if request["model"] == "b" and made == 1:
        return tool(9)
    return [tool(1), tool(2), say("it is 42")][made]


class Grove:
    """A recorded run, and what a tree of it should be."""

    def __init__(self):
        self.provider = StandIn(works)
        self.provider.server.handle_error = lambda *_: None  # A request that was cut off by a kill.
        self.place = Workplace(self.provider.address)
        script = self.place.project / "tool"
        script.write_text(TOOL.replace("$RAN", "ran"))
        script.chmod(0o755)
        self.place.spoor("run", "do all", "--model", "fake/a", "--root", "project", "--tools", "run_command",
                         "--no-rationale")
        self.goal = next(commit["hash"] for commit in self.place.commits() if commit["type"] == "user")
        self.before = len(self.provider.requests)
        self.process = None
        self.known = threading.Event()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.place.__exit__()
        self.provider.__exit__()

    def ran(self):
        return (self.place.project / "ran").read_text().split()

    def start(self, *words):
        self.known.clear()
        self.process = self.place.start(*words)
        self.known.set()

    def words(self, *more):
        return ("fork", self.goal, "--n", str(N), *MODELS, "--test", "grep -q 42", *more)

    def grow(self, *more):
        self.start(*self.words(*more))

    def wait(self, status):
        got, out, err = self.place.finish(self.process)
        check(got == status, f"status {got}, not {status}\n{err.decode()}")
        return out.decode(), err.decode()

    def asked(self):
        return self.provider.requests[self.before:]

    # --- What is there ---

    def variants(self):
        return self.place.json("compare", "--tree", "latest")["variants"]

    def rows(self):
        return sorted((row for each in self.variants() for row in each["rows"]), key=lambda row: row["number"])

    def conversations(self):
        """What each attempt says, calls and is told, without names and times."""
        members = ("type", "text", "tool_calls", "name", "is_error")
        found = []
        for row in self.rows():
            commits = self.place.commits(row["branch"])
            start = next(i for i, commit in enumerate(commits)
                         if (commit["meta"] or {}).get("decision") == "tree-started")
            found.append([{member: commit[member] for member in members}
                          for commit in commits[start:] if commit["type"] != "decision"])
        return found

    def has_tree(self):
        return self.place.finish(self.place.start("compare", "--tree", "latest"))[0] == 0

    def check_whole(self, expected):
        self.place.check_sound()
        roots = {}
        for run in self.place.json("runs")["runs"]:
            meta = self.place.commit(run["root"])["meta"]
            if "tree" in meta:
                key = (meta["tree"], meta["attempt"])
                check(key not in roots, f"attempt {key} was begun twice")
                roots[key] = run
        rows = self.rows()
        check(len(roots) == len(rows) == N * len(MODELS) // 2, f"{len(roots)} runs, {len(rows)} attempts")
        check([row["verdict"] for row in rows] == ["pass", "fail"] * N, f"verdicts: {rows}")
        check([row["by"] for row in rows] == ["final_answer", "no-recorded-result"] * N, f"ends: {rows}")
        if expected is not None:
            check(self.conversations() == expected, "another conversation")
        check(self.ran() == ["1", "2"], f"the tools ran {self.ran()}")
        check(not self.provider.complaints, f"a provider would refuse {self.provider.complaints}")


def whole():
    """A tree that nobody kills: its conversations and the number of its requests."""
    with Grove() as grove:
        grove.grow()
        grove.wait(0)
        conversations, requests = grove.conversations(), len(grove.asked())
        grove.check_whole(None)
        recorded = [commit["meta"].get("recorded_from") for row in grove.rows()
                    for commit in grove.place.commits(row["branch"]) if commit["type"] == "tool"]
        originals = {commit["hash"] for commit in grove.place.commits() if commit["type"] == "tool"}
        check(set(filter(None, recorded)) == originals, f"results are from {recorded}")
        sessions = grove.place.json("sessions")["sessions"]
        counted = 3 + sum(row["steps"] for row in grove.rows())
        check([each["answers"] for each in sessions] == [counted], f"{sessions}, not {counted} answers")
        # The same command makes another tree once the first has ended.
        grove.grow("--no-run")
        grove.wait(0)
        check(all(row["state"] == "waiting" for row in grove.rows()), "it went on with an ended tree")
        return conversations, requests


def at_request(expected, requests, number, by_command):
    with Grove() as grove:
        def before(now, *_):
            if now != grove.before + number:
                return True
            check(grove.known.wait(PATIENCE), "nobody asks")
            grove.process.kill()
            return False
        grove.provider.before = before
        grove.grow()
        grove.wait(-signal.SIGKILL)
        grove.grow() if by_command else grove.start("fork", "--resume", "latest")
        grove.wait(0)
        asked = grove.asked()
        check(asked[number - 1] == asked[number], f"request {number} changed")
        check(len(asked) == requests + 1, f"{len(asked)} requests, not {requests + 1}")
        grove.check_whole(expected)


def in_test(expected, requests, number):
    """Killed while the n-th test runs: the attempt is judged, and not run again."""
    with Grove() as grove:
        mark = grove.place.path / "tests"
        command = f"echo x >> {mark}; test $(wc -l < {mark}) = {number} && kill -9 $PPID; grep -q 42"
        grove.start("fork", grove.goal, "--n", str(N), *MODELS, "--test", command)
        grove.wait(-signal.SIGKILL)
        grove.start("fork", grove.goal, "--n", str(N), *MODELS, "--test", command)
        grove.wait(0)
        check(len(grove.asked()) == requests, f"{len(grove.asked())} requests, not {requests}")
        grove.check_whole(expected)


def at_moments(expected, seed, *words):
    """Killed after a random time, and again, until it is done."""
    chance = random.Random(seed)
    kills = 0
    with Grove() as grove:
        grove.grow(*words)
        while True:
            try:
                grove.process.wait(chance.uniform(0.0, 0.06 * (1 + kills / 20)))
            except Exception:
                grove.process.kill()
            status, _, err = grove.place.finish(grove.process)
            if status == 0:
                break
            check(status == -signal.SIGKILL, f"status {status}\n{err.decode()}")
            kills += 1
            check(kills < 1000, "it does not get on")
            grove.start("fork", "--resume", "latest", *words) if grove.has_tree() else grove.grow(*words)
        grove.check_whole(expected)
    return kills


def two_at_once():
    with Grove() as grove:
        waiting, go_on = threading.Event(), threading.Event()

        def before(*_):
            waiting.set()
            go_on.wait(PATIENCE)
            return True
        grove.provider.before = before
        grove.grow()
        check(waiting.wait(PATIENCE), "nobody asks")
        status, _, err = grove.place.finish(grove.place.start("fork", "--resume", "latest"))
        check(status == 1 and b"error: " in err, f"status {status}\n{err.decode()}")
        go_on.set()
        grove.wait(0)
        grove.check_whole(None)


def side_by_side(expected):
    """With --parallel 4 four requests are under way at once; each attempt is what it is alone."""
    with Grove() as grove:
        inside, most, lock = [0], [0], threading.Condition()

        def before(*_):
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                lock.notify_all()
                lock.wait_for(lambda: most[0] == 4, timeout=PATIENCE)
                inside[0] -= 1
            return True
        grove.provider.before = before
        grove.grow("--parallel", "4")
        grove.wait(0)
        check(most[0] == 4, f"{most[0]} requests at once")
        grove.check_whole(expected)


def budgets_side_by_side():
    """A limit is that of all attempts together; each may have one request under way when it is reached."""
    with Grove() as grove:
        grove.grow("--parallel", "4", "--max-tokens", "440")
        _, err = grove.wait(130)
        check("--max-tokens" in err, err)
        check(4 <= len(grove.asked()) <= 7, f"{len(grove.asked())} requests of 110 tokens under a limit of 440")
        grove.start("fork", "--resume", "latest", "--parallel", "4", "--max-tokens", "100000")
        grove.wait(0)
        check(len(grove.asked()) == 10, f"{len(grove.asked())} requests in all")
        grove.check_whole(None)


def budgets():
    """The limits hold for the tree, and a higher one goes on where it stopped."""
    with Grove() as grove:
        grove.grow("--max-steps", "4")
        _, err = grove.wait(130)
        check("--max-steps" in err, err)
        check(len(grove.asked()) == 4, f"{len(grove.asked())} requests under a limit of 4")
        grove.start("fork", "--resume", "latest", "--max-steps", "100", "--max-tokens", "100000")
        grove.wait(0)
        check(len(grove.asked()) == 10, f"{len(grove.asked())} requests in all")
        grove.check_whole(None)


def live():
    """Live tools work in a copy for each attempt, and the tests look there. The tools are the run's, also at its first
    answer, before which the goal is pinned."""
    with Grove() as grove:
        answer = next(commit["hash"] for commit in grove.place.commits() if commit["type"] == "assistant")
        grove.start("fork", answer, "--n", "2", "--model", "fake/a", "--tools", "live",
                    "--test", "test \"$(cat ran | tr -d '\\n')\" = 1212")
        grove.wait(0)
        check(grove.ran() == ["1", "2"], f"the original folder was changed: {grove.ran()}")
        check([row["verdict"] for row in grove.rows()] == ["pass", "pass"], f"{grove.rows()}")


def judged_later():
    """A judge model, a person and a test, each after the attempts have ended."""
    with Grove() as grove:
        grove.start("fork", grove.goal, "--n", "2", "--model", "fake/a")
        grove.wait(0)
        check(all(row["verdict"] == "unjudged" for row in grove.rows()), "judged by nobody")
        grove.provider.answer = lambda request: say(json.dumps(
            {"status": "fail" if "no mention" in texts(request, "user")[-1] else "pass", "violations": []}))
        grove.place.spoor("judge", "--tree", "latest", "--judge", "fake/j", "--rubric", "it says 42")
        check(all(row["verdict"] == "pass" for row in grove.rows()), "the judge's word")
        asked = len(grove.asked())
        grove.place.spoor("judge", "--tree", "latest", "--judge", "fake/j", "--rubric", "it says 42")
        check(len(grove.asked()) == asked, "judged twice")
        for text, verdict in (("43", "fail"), ("IT  is", "pass"), ("43", "fail"), ("42", "pass")):
            grove.place.spoor("judge", "--tree", "latest", "--expect", text)
            check(all(row["verdict"] == verdict for row in grove.rows()), f"by '{text}': {grove.rows()}")
        grove.place.spoor("judge", "--tree", "latest", "--judge", "fake/j", "--rubric", "no mention of 42")
        check(len(grove.asked()) == asked + 2, "another rubric was taken for the same")
        check(all(row["verdict"] == "fail" for row in grove.rows()), "by another rubric")
        grove.place.spoor("judge", "--tree", "latest", "--judge", "fake/j", "--rubric", "it says 42")
        check(all(row["verdict"] == "pass" for row in grove.rows()), "the judge's newest word")
        grove.place.spoor("judge", grove.rows()[0]["branch"], "--fail", "--note", "too short")
        check([row["verdict"] for row in grove.rows()] == ["fail", "pass"], f"{grove.rows()}")


def judged_badly():
    """Replies of a judge that cannot be read judge nothing, end nothing, and are asked for again."""
    with Grove() as grove:
        bad = ['{"status": "fail", "status": "pass"}', "pass", "", '{"status": "pass"} or {"status": "fail"}']
        def judge(request):
            return works(request) if request["model"] != "j" else say(bad.pop() if bad else '{"status": "pass"}')
        grove.provider.answer = judge
        grove.start("fork", grove.goal, "--n", "4", "--model", "fake/a", "--judge", "fake/j", "--rubric", "it says 42")
        _, err = grove.wait(0)
        check(err.count("unjudged (cannot read the judgement") == 4, err)
        check(all(row["verdict"] == "unjudged" for row in grove.rows()), f"{grove.rows()}")
        grove.start("fork", "--resume", "latest")
        grove.wait(0)
        check(all(row["verdict"] == "pass" for row in grove.rows()), f"{grove.rows()}")
        bad.append("I cannot say.")
        grove.place.spoor("judge", "--tree", "latest", "--judge", "fake/j", "--rubric", "it names a number")
        check(all(row["verdict"] == "pass" for row in grove.rows()), f"a reply that says nothing took a verdict away: {grove.rows()}")


def datasets():
    """A data set is run on a model, and on another one, by one command each; nothing is run twice."""
    with Grove() as grove:
        grove.place.spoor("dataset", "add", "set", grove.goal, "--expect", "42")
        later = [commit["hash"] for commit in grove.place.commits() if commit["type"] == "tool"][-1]
        (grove.place.path / "items.jsonl").write_text(json.dumps({"turn": later, "test": "grep -q 42"}) + "\n")
        grove.place.spoor("dataset", "add", "set", "--from", "items.jsonl")
        grove.place.spoor("dataset", "run", "set", "--model", "fake/a", "--n", "2")
        asked = len(grove.asked())
        check(asked == 2 * 3 + 2, f"{asked} requests")
        grove.place.spoor("dataset", "run", "set", "--model", "fake/a", "--n", "2")
        check(len(grove.asked()) == asked, "it was run twice")
        grove.place.spoor("dataset", "run", "set", "--model", "fake/b", "--n", "2")
        status, _, err = grove.place.finish(grove.place.start("dataset", "run", "set", "--model", "nobody/x", "--n", "2"))
        check(status != 0 and b"nobody" in err, f"status {status}\n{err.decode()}")
        variants = grove.place.json("compare", "--dataset", "set")["variants"]
        found = {each["model"]: (each["tasks"], each["judged"], each["passes"]) for each in variants}
        check(found == {"fake/a": (2, 4, 4), "fake/b": (2, 4, 2)}, f"{found}")
        estimate = {each["model"]: each["pass_at_k"][0]["value"] for each in variants}
        check(estimate == {"fake/a": 1.0, "fake/b": 0.5}, f"{estimate}")


def datasets_at_once():
    """Of two processes that run a data set on one model, the second makes nothing; another model may be run."""
    with Grove() as grove:
        grove.place.spoor("dataset", "add", "set", grove.goal, "--expect", "42")
        waiting, go_on = threading.Event(), threading.Event()

        def before(*_):
            if not waiting.is_set():
                waiting.set()
                go_on.wait(PATIENCE)
            return True
        grove.provider.before = before
        grove.start("dataset", "run", "set", "--model", "fake/a")
        check(waiting.wait(PATIENCE), "nobody asks")
        second = grove.place.start("dataset", "run", "set", "--model", "fake/a")
        status, _, err = grove.place.finish(second)
        check(status == 1 and b"another process runs the data set 'set'" in err, f"status {status}\n{err.decode()}")
        grove.place.spoor("dataset", "run", "set", "--model", "fake/b")
        go_on.set()
        grove.wait(0)
        for models in (("fake/a", "fake/b"), ("fake/b", "fake/a")):
            grove.place.spoor("dataset", "run", "set", "--model", models[0], "--model", models[1])
        check(sum(len(each["rows"]) for each in grove.place.json("compare", "--dataset", "set")["variants"]) == 4,
              "an attempt for each model, alone and together")


def cloned():
    """A clone has tree, judgements and data sets, and goes on with what is missing."""
    with Grove() as grove:
        grove.grow("--max-steps", "4")
        grove.wait(130)
        grove.place.spoor("dataset", "add", "set", grove.goal, "--expect", "42")
        here = grove.rows()
        made = subprocess.run([PROGRAM, "clone", "work.spoor", "other.spoor"], cwd=grove.place.path,
                              env=grove.place.environment, capture_output=True, timeout=PATIENCE)
        check(made.returncode == 0, made.stderr.decode())
        grove.place.start = lambda *words: subprocess.Popen(
            [PROGRAM, "--store", "other.spoor", *words], cwd=grove.place.path, env=grove.place.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        check(grove.rows() == here, f"{grove.rows()} in the clone")
        check(len(grove.place.json("dataset", "list", "set")["items"]) == 1, "the data set")
        grove.start("fork", "--resume", "latest", "--max-steps", "100")
        grove.wait(0)
        check([row["verdict"] for row in grove.rows()] == ["pass", "fail"] * N, f"{grove.rows()}")
        check(len(grove.asked()) == 10, f"{len(grove.asked())} requests in all")


def erased():
    """With the turn the plans of its trees are erased; other trees and data sets stay."""
    with Grove() as grove:
        grove.start("fork", grove.goal, "--n", "1", "--model", "fake/a")
        grove.wait(0)
        tree = grove.rows()[0]["tree"]
        later = [commit["hash"] for commit in grove.place.commits() if commit["type"] == "tool"][-1]
        grove.place.spoor("dataset", "add", "set", grove.goal, "--expect", "42")
        grove.place.spoor("store", "erase", grove.goal, "--reason", "asked for", "--yes")
        status, _, err = grove.place.finish(grove.place.start("compare", "--tree", tree))
        check(status == 1 and b"was erased" in err, err.decode())
        check(grove.place.json("dataset", "list", "set")["items"] == [], "the item is about the turn")
        grove.place.spoor("fork", later, "--n", "1", "--model", "fake/a")
        check([row["state"] for row in grove.rows()] == ["ended"], f"{grove.rows()}")


def seconds():
    """The processor's time of all commands so far: what else the machine does is not counted."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def many_forks():
    """What a hundred forks of 10,000 turns add, and how long they take."""
    with Workplace() as place:
        messages = []
        for number in range(5_000):
            messages.append({"role": "user", "content": f"What is {number} squared? " + "Think. " * 20})
            messages.append({"role": "assistant", "content": f"It is {number * number}. " + "So it is. " * 20})
        (place.path / "session.json").write_text(json.dumps({"messages": messages}))
        place.spoor("init")
        place.spoor("import", "session.json")

        def size():
            return sum(path.stat().st_size for path in place.path.glob("work.spoor*"))
        before = size()
        begun = seconds()
        place.spoor("fork", "HEAD", "--n", "100", "--model", "openai/gpt-5", "--no-run")
        took = seconds() - begun
        added = size() - before
        check(added * 100 <= before, f"100 forks added {added} bytes to {before}")
        check(took <= 1.0, f"100 forks took {took:.2f} s")
        begun = seconds()
        sessions = place.json("sessions")["sessions"]
        check(len(sessions) == 1 and len(sessions[0]["branches"]) == 101, "the forks are not in one session")
        listed = seconds() - begun
        check(listed <= 5.0, f"sessions took {listed:.2f} s")
        print(f"100 forks of 10,000 turns: {added:,} bytes, {100 * added / before:.3f} %, {took:.2f} s; "
              f"sessions {listed:.2f} s")


def main():
    soak = int(os.environ.get("SPOOR_SOAK", "1"))
    conversations, requests = whole()
    print(f"a tree has {requests} requests")
    for number in range(1, requests + 1):
        at_request(conversations, requests, number, number % 2 == 0)
    for number in range(1, 2 * N + 1):
        in_test(conversations, requests, number)
    kills = sum(at_moments(conversations, SEED + moment, *(("--parallel", "3") if moment % 2 else ()))
                for moment in range(8 * soak))
    print(f"killed at {requests} requests, in {2 * N} tests, and at {kills} moments")
    side_by_side(conversations)
    two_at_once()
    budgets()
    budgets_side_by_side()
    live()
    judged_later()
    judged_badly()
    datasets()
    datasets_at_once()
    cloned()
    erased()
    many_forks()


if __name__ == "__main__":
    try:
        main()
    except Failed as failed:
        sys.exit(f"failed: {failed}")
