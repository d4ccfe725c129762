#!/usr/bin/env python3
"""What one process erases, no other shows afterwards: `spoor batch`, `spoor open`, `spoor mcp` and a REPL that have
read a text before it was erased. Usage: SPOOR_PROGRAM=build/dev/spoor erased_elsewhere_test.py
"""

import json
import pathlib
import subprocess
import sys
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "agents"))
from workplace import PATIENCE, Workplace, check  # noqa: E402

SECRET = "the word is xylophone, and nobody may know it"
WORD = "xylophone"


class Talk:
    """A process that answers each line with a line."""

    def __init__(self, place, *words):
        self.process = place.start(*words, stdin=subprocess.PIPE)

    def line(self):
        return self.process.stdout.readline().decode()

    def say(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, request):
        self.say(json.dumps(request))
        return self.line()

    def end(self):
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)


def batch_asks(talk, commit):
    return lambda: "".join(talk.ask(request) for request in (
        {"op": "show", "rev": commit}, {"op": "compile", "rev": "HEAD"}, {"op": "compile", "rev": "HEAD", "to": "openai"},
        {"op": "log", "rev": "HEAD"}, {"op": "turns", "revision": "main"}))


def page_asks(talk, commit):
    base, token = talk.line().strip().split("/#")
    def ask(request):
        posted = urllib.request.Request(f"{base}/api", json.dumps(request).encode(), {
            "Authorization": f"Bearer {token[:43]}", "Content-Type": "application/json"})
        with urllib.request.urlopen(posted, timeout=20) as answer:
            return answer.read().decode()
    return lambda: "".join(ask(request) for request in (
        {"op": "show", "rev": commit}, {"op": "compile", "rev": "main"}, {"op": "turns", "revision": "main", "from": 0, "limit": 9}))


def mcp_asks(talk, commit):
    talk.ask({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}})
    talk.say(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}))
    return lambda: "".join(talk.ask({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}})
                           for name, arguments in (("show", {"revision": commit}), ("compile", {"revision": "main"})))


def repl_asks(talk, commit):
    def ask():
        said = []
        for command in (f"show {commit}", "compile main", "config author"):
            talk.say(command)
        while not said or said[-1].strip() != "ada":
            said.append(talk.line())
            check(said[-1], "the REPL ended")
        return "".join(said)
    return ask


def main():
    with Workplace() as place:
        place.spoor("init")
        place.spoor("config", "author", "ada")
        place.spoor("user", "begin")
        place.spoor("user", SECRET)
        place.spoor("user", "end")
        commit = place.log()[1]["hash"]
        talks = {"batch": (Talk(place, "batch"), batch_asks), "open": (Talk(place, "open"), page_asks),
                 "mcp": (Talk(place, "mcp"), mcp_asks), "a REPL": (Talk(place), repl_asks)}
        asks = {name: make(talk, commit) for name, (talk, make) in talks.items()}
        for name, ask in asks.items():
            answer = ask()
            check(WORD in answer, f"{name} does not show the text: {answer}")
        place.spoor("store", "erase", commit, "--reason", "test", "--yes")
        check(WORD not in place.spoor("compile", "main"), "it is not erased")
        for name, ask in asks.items():
            answer = ask()
            check(WORD not in answer, f"{name} still shows what was erased")
            check("erased" in answer, f"{name} does not say that it was erased")
        for talk, _ in talks.values():
            talk.end()


main()
