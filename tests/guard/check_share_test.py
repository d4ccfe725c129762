"""Holds the calls of shell tools in real sessions against rules, as `spoor check` does.

Imports every session of ../shared/data (skipped where it is absent) into a store in a temporary
folder. Of the calls of shell tools at most 5 % may be `unknown`, and none may fail: none of the
sessions was hostile. SPOOR_SHOW=1 prints each call that does not pass.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ["SPOOR_PROGRAM"]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(SOURCE), "shared", "data")
MOST_UNKNOWN = 0.05
RULES = """
[[constraint]]
id = "paths"
check = "scope"
never = ["@ci", "@infra"]

[[constraint]]
id = "safe"
check = "safety"
secrets = false
"""
# The tools that src/trace/tool_call.cc takes for shells.
SHELLS = set(
    "runcommand runcommands bash shell sh exec execcommand localshell runshellcommand executecommand "
    "executebash executeshell run cmdrun terminal shellexec runterminal runterminalcmd "
    "runterminalcommand runinterminal powershell shellcommand".split())


def spoor(store, *arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=store, capture_output=True, check=False)
    if done.returncode not in (0, 1):
        raise SystemExit(f"spoor {' '.join(arguments)}: {done.returncode}\n{done.stderr.decode()}")
    return done.stdout.decode()


def shell_calls(store, branch):
    """The arguments of each action of a branch that called a shell, by the event's id."""
    calls = {}
    for line in spoor(store, "events", branch, "--jsonl").split("\n"):
        event = json.loads(line) if line else {"agent_action": {}}
        for result in event["agent_action"].get("tool_results") or []:
            if re.sub("[^a-z]", "", result["name"].lower()) in SHELLS:
                calls[event["event_id"]] = result["arguments"]
    return calls


def main():
    if not os.path.isdir(SHARED):
        print("skipped: no sessions at", SHARED)
        return
    store = tempfile.mkdtemp()
    try:
        spoor(store, "init")
        spoor(store, "import", SHARED)
        with open(os.path.join(store, "rules.toml"), "w", encoding="utf-8") as file:
            file.write(RULES)
        found = {}
        for branch in json.loads(spoor(store, "branch", "--json"))["branches"]:
            calls = shell_calls(store, branch["name"])
            if not calls:
                continue
            page = spoor(store, "check", branch["name"], "--constraints", "rules.toml", "--all",
                         "--json")
            for action in json.loads(page)["actions"]:
                if action["event_id"] in calls:
                    states = [result["status"] for result in action["results"]]
                    worst = next((s for s in ("fail", "unknown") if s in states), "pass")
                    found[action["event_id"]] = (worst, calls[action["event_id"]], action)
    finally:
        shutil.rmtree(store)
    counts = {state: 0 for state in ("pass", "unknown", "fail")}
    for state, call, action in found.values():
        counts[state] += 1
        if state == "fail" or (state != "pass" and os.environ.get("SPOOR_SHOW")):
            print(state, call, json.dumps(action["results"]))
    share = counts["unknown"] / max(len(found), 1)
    print(f"{len(found)} calls of shells: {counts['pass']} pass, {counts['unknown']} unknown "
          f"({100 * share:.1f} %), {counts['fail']} fail")
    if len(found) < 500 or share > MOST_UNKNOWN or counts["fail"] > 0:
        sys.exit("too few calls, too many unknown, or one that fails")


main()
