"""Asks every view of a session for its figures: each figure has one answer.

Imports every session of ../shared/data (skipped where it is absent) and the repository's own
fixtures into one store. For every branch `stats`, `report`, `debrief` and `events` must agree, and
agree with what this script counts itself in the JSON of `log`.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.environ["SPOOR_PROGRAM"]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SHARED = os.path.join(os.path.dirname(SOURCE), "shared", "data")
FIGURES = [
    "turns", "answers", "calls", "failed", "refused", "unanswered", "explained", "edits",
    "lines_added", "lines_removed", "input_tokens", "cache_read_tokens", "cache_write_tokens",
    "output_tokens", "cost_usd", "cost_trust", "tokens_trust",
]


def at_home(folder):
    """The environment of a person who lives in `folder`."""
    return {**os.environ, "HOME": folder, "XDG_DATA_HOME": "", "SPOOR_STORE": ""}


def spoor(store, *arguments):
    done = subprocess.run([PROGRAM, *arguments], cwd=store, capture_output=True, check=False,
                          env=at_home(store))
    if done.returncode not in (0, 1):
        raise SystemExit(f"spoor {' '.join(arguments)}: {done.returncode}\n{done.stderr.decode()}")
    return done.stdout.decode()


def lines_of(text):
    """Returns the lines of JSON Lines. Not splitlines(): U+2028 may be in a string of JSON."""
    return [line for line in text.split("\n") if line]


def of_events(store, branch):
    """What the events of a branch add up to."""
    totals = dict.fromkeys(FIGURES)
    for name in ("answers", "calls", "failed", "refused", "edits", "lines_added", "lines_removed"):
        totals[name] = 0
    ids = set()
    for line in lines_of(spoor(store, "events", branch, "--jsonl")):
        event = json.loads(line)
        output = event["model_output"]
        if output is not None:
            usage = output["usage"]
#A message that another answer interrupts has a second event, without tokens.
            totals["calls"] += len(output["tool_calls"])
            if output["completion_id"] in ids and usage["output_tokens"] is None \
                    and usage["input_tokens"] is None and usage["tokens_trust"] == "unknown":
                continue
            ids.add(output["completion_id"])
            totals["answers"] += 1
            for name in ("cache_read_tokens", "cache_write_tokens", "output_tokens"):
                if usage[name] is not None:
                    totals[name] = (totals[name] or 0) + usage[name]
            if usage["input_tokens"] is not None:
                fresh = usage["input_tokens"] - (usage["cache_read_tokens"] or 0) - (
                    usage["cache_write_tokens"] or 0)
                totals["input_tokens"] = (totals["input_tokens"] or 0) + fresh
        action = event["agent_action"]
        # A result without a known call is an event, and no call.
        if any(result["arguments"] in ("unknown", {"mode": "unknown"})
               for result in action["tool_results"]):
            continue
        if action["action_type"] == "blocked":
            totals["refused"] += 1
        elif any(result["is_error"] for result in action["tool_results"]):
            totals["failed"] += 1
        for artifact in action["artifacts"]:
            if artifact["type"] != "file_edit":
                continue
            totals["edits"] += 1
            totals["lines_added"] += artifact["metadata"]["lines_added"] or 0
            totals["lines_removed"] += artifact["metadata"]["lines_removed"] or 0
    return totals


def of_log(store, branch):
    """What the turns of a branch say themselves."""
    turns = calls = 0
    for line in lines_of(spoor(store, "log", branch, "--json", "--stream")):
        turn = json.loads(line)
        if turn["type"] in ("system", "user", "reasoning", "assistant", "tool", "artifact",
                            "summary", "compress"):
            turns += 1
        calls += len(turn.get("tool_calls") or [])
    return {"turns": turns, "calls": calls}


def compare(where, name, expected, got, only, wrong):
    for figure in only:
        if got.get(figure) != expected.get(figure):
            wrong.append(f"{where}: {figure} is {expected.get(figure)} in stats, "
                         f"{got.get(figure)} in {name}")


def check_sessions(store, wrong):
    """The list of sessions, the calls and the costs against `stats`.

    What sessions share is counted in one of them: none has more than `stats` of its line, and all
    together have what `stats` of all lines has."""
    figures = ["turns", "requests", "answers", "calls", "input_tokens", "cache_read_tokens",
               "cache_write_tokens", "output_tokens"]
    sessions = json.loads(spoor(store, "sessions", "--json"))["sessions"]
    same = 0
    for session in sessions:
        if len(session["branches"]) > 1:
            continue  # Lines share turns, which stats of one branch count again.
        stats = json.loads(spoor(store, "stats", session["session"], "--json"))["totals"]
        stats = {name: stats[name] or 0 for name in [*figures, "files", "lines_added"]}
        if all(session[name] == stats[name] for name in stats):
            same += 1
        for name in figures:
            if session[name] > stats[name]:
                wrong.append(f"session {session['session']}: {name} is {session[name]}, "
                             f"{stats[name]} in stats")
    if same < len(sessions) // 2:
        wrong.append(f"only {same} of {len(sessions)} sessions have what stats have")
    everything = json.loads(spoor(store, "stats", "--all", "--json"))["totals"]
    for name in figures:
        total = sum(session[name] for session in sessions)
        if total != everything[name]:
            wrong.append(f"all sessions: {name} is {total}, {everything[name]} in stats --all")
    for by in (["day"], ["model"], ["project"], ["agent"], ["day", "model"]):
        words = [word for each in by for word in ("--by", each)]
        rows = json.loads(spoor(store, "cost", *words, "--json"))["costs"]
        for name in ("answers", "input_tokens", "output_tokens"):
            total = sum(session[name] for session in sessions)
            if sum(row[name] for row in rows) != total:
                wrong.append(f"cost by {by}: {name} is {sum(row[name] for row in rows)}, "
                             f"{total} in sessions")
    return len(sessions)


def check_run(wrong):
    """A run of spoor's own agent, which `runs` lists too."""
    with tempfile.TemporaryDirectory() as store:
        slug = os.path.join(store, "slug")
        shutil.copytree(os.path.join(SOURCE, "examples", "data", "slug"), slug)
        replies = os.path.join(SOURCE, "examples", "data", "agent-replies.jsonl")
        subprocess.run([PROGRAM, "run", "make ./check.sh pass", "--model", "scripted/" + replies,
                        "--root", "slug", "--tools", "read_file,edit_file,run_command"],
                       cwd=store, capture_output=True, check=False, env=at_home(store))
        runs = json.loads(spoor(store, "runs", "--json"))["runs"]
        if len(runs) != 1:
            wrong.append(f"{len(runs)} runs, not 1")
            return
        run = runs[0]
        stats = json.loads(spoor(store, "stats", "--json"))["totals"]
        report = json.loads(spoor(store, "report", "--json"))
        debrief = json.loads(spoor(store, "debrief", "--json"))
        for name, view in [("runs", run["totals"]), ("report", report["totals"]),
                           ("debrief", debrief["totals"])]:
            compare("the run", name, stats, view, FIGURES, wrong)
        compare("the run", "the line of runs", stats,
                {"answers": run["answers"], "cost_usd": run["cost_usd"]},
                ["answers", "cost_usd"], wrong)
        if stats["calls"] < 3 or stats["edits"] < 1 or stats["failed"] < 1:
            wrong.append(f"the run has too little to compare: {stats}")


def main():
    folders = [os.path.join(SOURCE, "tests", "data", "import")]
    if os.path.isdir(SHARED):
        folders.append(SHARED)
    else:
        print(f"no sessions at {SHARED}: only our own fixtures")
    wrong = []
    with tempfile.TemporaryDirectory() as store:
        subprocess.run([PROGRAM, "import", *folders], cwd=store, capture_output=True, check=False,
                       env=at_home(store))
        branches = [each["name"] for each in json.loads(spoor(store, "branch", "--json"))["branches"]]
        for branch in branches:
            stats = json.loads(spoor(store, "stats", branch, "--json"))["totals"]
            report = json.loads(spoor(store, "report", branch, "--json"))
            debrief = json.loads(spoor(store, "debrief", branch, "--json"))
            compare(branch, "report", stats, report["totals"], FIGURES, wrong)
            compare(branch, "debrief", stats, debrief["totals"], FIGURES, wrong)
            shown = {"answers": debrief["answers"], "cost_usd": debrief["cost_usd"],
                     "calls": debrief["coverage"]["calls"],
                     "failed": debrief["coverage"]["failed"],
                     "refused": debrief["coverage"]["refused"],
                     "explained": debrief["coverage"]["explained"]}
            compare(branch, "the lines of debrief", stats, shown, shown, wrong)
            shown = {"refused": report["blocked"], "output_tokens": report["output_tokens"],
                     "cost_usd": report["cost_usd"],
                     "lines_added": sum(file["lines_added"] for file in report["files"]),
                     "edits": sum(file["edits"] for file in report["files"])
                     + report["hidden_edits"]}
            compare(branch, "the lines of report", stats, shown, shown, wrong)
            events = of_events(store, branch)
            compare(branch, "events", stats, events, [
                "answers", "calls", "failed", "refused", "edits", "lines_added", "lines_removed",
                "input_tokens", "cache_read_tokens", "cache_write_tokens", "output_tokens"], wrong)
            log = of_log(store, branch)
            compare(branch, "this script", stats, log, ["turns"], wrong)
            if log["calls"] > stats["calls"]:
                wrong.append(f"{branch}: {log['calls']} calls in log, {stats['calls']} in stats")
        sessions = check_sessions(store, wrong)
    check_run(wrong)
    for line in wrong[:100]:
        print(line)
    print(f"{len(branches)} branches, {sessions} sessions, {len(wrong)} differences")
    return 1 if wrong or not branches else 0


if __name__ == "__main__":
    sys.exit(main())
