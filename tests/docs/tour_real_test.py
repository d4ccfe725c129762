"""Asks real sessions what docs/tour.md asks the sample, and holds each answer against another one:
SPOOR_PROGRAM=build/dev/spoor python3 this-file. Prints no text of a session.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SESSIONS = ROOT.parent / "shared" / "data"
ENOUGH = 6


class Store:
    """A store made of one session."""

    def __init__(self, folder, program, session):
        self.folder, self.program = folder, program
        self.environment = {"HOME": folder, "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8",
                            "SPOOR_AUTHOR": "ada"}
        self.run("import", str(session))

    def run(self, *words, status=0):
        done = subprocess.run([self.program, *words], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, capture_output=True, check=False)
        if done.returncode != status:
            sys.exit(f"error: {words[0]} ended with {done.returncode}, not {status}: "
                     f"{done.stderr.decode()[:200]}")
        return done.stdout

    def json(self, *words, status=0):
        return json.loads(self.run(words[0], "--json", *words[1:], status=status))


def require(claim, what):
    if not claim:
        sys.exit(f"error: {what}")


def a_phrase(text):
    """A word that stands for the text: its longest plain one."""
    words = re.findall(r"[A-Za-z]{5,30}", text or "")
    return max(words, key=len, default=None)


def ask(store):
    """Every question of the tour; answers how many turns there were."""
    prompt = store.json("compile")["messages"]
    blame = store.json("blame")["messages"]
    require(len(blame) == len(prompt), "blame has as many messages as the prompt")
    for made, message in zip(blame, prompt):
        require([o["hash"] for o in made["origins"]] == message["commits"],
                "blame names the commits of each message")

    phrase = a_phrase(prompt[-1]["text"]) or a_phrase(prompt[0]["text"])
    require(phrase, "a message of the prompt has a word")
    found = store.json("why", phrase)["occurrences"]
    saying = {m["hash"] for m in prompt if phrase in m["text"]}
    require(saying <= {prompt[o["message"] - 1]["hash"] for o in found},
            "why finds every message that says the phrase")
    for occurrence in found:
        turn = store.json("show", occurrence["brought_by"]["hash"])
        calls = "".join(c["name"] + c["arguments"] for c in turn["tool_calls"] or [])
        require(phrase in (turn["text"] or "") + calls, "the turn that why names says the phrase")

    log = store.json("log", "--all-commits")["commits"]
    root, head = log[-1]["hash"], log[0]["hash"]
    require(store.json("log", f"{head}~{log[0]['depth']}", "-n", "1")["commits"], "the root is there")

    # The first commit whose prompt has as many messages as the last one: told by a command.
    first = f"{head}~{log[0]['depth']}"
    if log[0]["depth"] > 1:
        found = store.json("bisect", "--good", first, "--", "sh", "-c",
                           f"test \"$SPOOR_COMMIT\" != {head}")
        require(found["first_bad"] == head, "bisect ends at the only bad commit")
        scan = store.json("bisect", "--good", f"{head}~1", "--scan", "--", "false")
        require(scan["first_bad"] == head and scan["tests"] == 1, "a scan of one commit")
    require(root, "there is a root")

    thoughts = store.json("reasoning")["reasoning"]
    require(len(thoughts) == sum(c["type"] == "reasoning" for c in log),
            "reasoning lists every thought of the log")
    for thought in thoughts[:20]:
        word = a_phrase(thought["text"])
        if word:
            hits = store.json("reasoning", "--search", word)["reasoning"]
            require(thought["hash"] in {t["hash"] for t in hits}, "a search finds the thought")
        if thought["answer"]:
            behind = store.json("reasoning", thought["answer"]["hash"])["reasoning"]
            require(thought["hash"] in {t["hash"] for t in behind},
                    "the thinking behind an answer holds the thought that led to it")

    texts = {c["hash"]: store.json("show", c["hash"])["text"] or "" for c in log[:60]}
    exact = store.json("search", phrase)["turns"]
    require({h for h, text in texts.items() if phrase in text} <= {t["hash"] for t in exact},
            "search finds what a scan finds")
    words = {t["hash"] for t in store.json("search", "--query", f'"{phrase}"')["turns"]}
    whole = re.compile(rf"(?<![A-Za-z0-9_\x80-\U0010ffff]){phrase}(?![A-Za-z0-9_\x80-\U0010ffff])")
    require({h for h, text in texts.items() if whole.search(text)} <= words,
            "a query finds the word")
    browse(store, {c["hash"] for c in log})
    return len(log)


def git(store, *words):
    environment = {**store.environment, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(["git", "-C", "session.git", *words], cwd=store.folder, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, check=False)
    require(done.returncode == 0, f"git {words[0]} ended with {done.returncode}")
    return done.stdout.decode()


def browse(store, commits):
    """The same session as a git repository."""
    if shutil.which("git", path=store.environment["PATH"]) is None:
        print("no git here: export --git is not looked at")
        return
    store.run("export", "--git", "session.git", "HEAD")
    require(git(store, "fsck", "--strict", "--full", "--no-progress") == "", "git fsck is content")
    trailer = "--format=%(trailers:key=Spoor-Commit,valueonly,separator=%x20)"
    require(set(git(store, "log", trailer).split()) == commits, "git log has every commit")
    prompt = store.json("compile")["messages"]
    files = git(store, "ls-tree", "-r", "--name-only", "HEAD", "prompt/").split()
    turns = {re.match(r"prompt/\d\d/(\d+)-", name).group(1) for name in files}
    require(len(turns) == sum(len(m["commits"]) for m in prompt), "prompt/ has every turn of the prompt")
    for name in files[:10]:
        require(git(store, "blame", "-s", "HEAD", "--", name) is not None, "git blame")


def main():
    program = os.environ.get("SPOOR_PROGRAM")
    if program is None:
        sys.exit("error: SPOOR_PROGRAM names no program")
    sessions = sorted(SESSIONS.glob("claude-code-*/*/*.jsonl"), key=lambda p: p.stat().st_size)
    if not sessions:
        print(f"skipped: no sessions at {SESSIONS}")
        return
    step = max(len(sessions) // ENOUGH, 1)
    turns = 0
    chosen = [s for s in sessions if s.stat().st_size > 2000][::step][:ENOUGH]
    for session in chosen:
        with tempfile.TemporaryDirectory() as folder:
            turns += ask(Store(folder, str(pathlib.Path(program).resolve()), session))
    print(f"{len(chosen)} sessions, {turns} commits: every answer holds")


main()
