#!/usr/bin/env python3
"""What `spoor export --page` saves, read without its scripts: each prompt, turn and commit is what `spoor batch`
answers, and the page without scripts has each turn. Also the sessions of SPOOR_REAL_SESSIONS, if it names folders.
Usage: SPOOR_PROGRAM=build/dev/spoor saved_page_test.py
"""

import base64
import gzip
import html
import json
import os
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(TREE / "tests/agents"))
import workplace  # noqa: E402
from workplace import Workplace, check  # noqa: E402

workplace.PATIENCE = 600  # The longest sessions take that.


def data_of(page):
    saved = re.search(r'<script type="application/gzip" id="saved">([^<]*)</script>', page)
    return json.loads(gzip.decompress(base64.b64decode(saved.group(1))))


def prompts_of(data):
    """Each prompt in full, by its commit."""
    messages, left_out = [], []
    for saved in data["prompts"]:
        def changed(before, name):
            start, end, added = saved[name]
            check(start + end <= len(before), "a prompt keeps more than there was")
            return before[:start] + added + (before[len(before) - end:] if end else [])
        messages, left_out = changed(messages, "messages"), changed(left_out, "left_out")
        yield {**saved["rest"], "messages": [data["pool"][place] for place in messages],
               "left_out": [data["pool"][place] for place in left_out]}


def compare(place, name, *options):
    """Exports one session; returns how many prompts it has, and the share of them that is not added to the one before."""
    place.spoor("export", name, "--page", "-o", "page.html", *options)
    page = (place.path / "page.html").read_text()
    data = data_of(page)
    prompts = list(prompts_of(data))
    commits = [prompt["commit"] for prompt in prompts]
    check(len(set(commits)) == len(commits) and set(commits) == set(data["commits"]), "a commit has no prompt, or two")
    reasoning = "--include-reasoning" in options
    asked = place.batch([{"op": "compile", "rev": each, "include_reasoning": reasoning} for each in commits])
    for prompt, answer in zip(prompts, asked):
        check(prompt == answer, f"the prompt at {prompt['commit']} is another")
    for commit, answer in zip(commits, place.batch([{"op": "show", "rev": each} for each in commits])):
        check(data["pool"][data["commits"][commit]] == answer, f"the record of {commit} is another")
    static = html.unescape(re.search(r"<noscript>.*</noscript>", page, re.S).group(0))
    for line in data["lines"]:
        turns = place.batch([{"op": "turns", "revision": line["row"]["head"], "limit": len(line["turns"]) + 1, "chars": 1 << 30}])
        check([data["pool"][at] for at in line["turns"]] == turns[0]["turns"], f"the turns of {line['row']['name']} are others")
        for turn in turns[0]["turns"]:
            text = turn["text"].strip()
            is_plain = text.isprintable() and not text.startswith(" ")
            check(not is_plain or text in static, f"a turn is not readable without scripts: {text[:80]}")
    added = sum(len(each["messages"][2]) for each in data["prompts"])
    return len(prompts), added / max(1, sum(len(each["messages"]) for each in prompts))


def marked():
    """The sample session with turns that are skipped, edited, pinned and summarised, and a merge."""
    with Workplace() as place:
        place.spoor("import", str(TREE / "examples/data/sample-session.jsonl"))
        compare(place, "1")
        turns = [each["hash"] for each in place.log("1")]
        turns.reverse()
        place.spoor("skip", turns[4])
        place.spoor("pin", turns[8])
        place.spoor("edit", turns[2], "another text")
        place.spoor("user", "goes on")
        place.spoor("compress", "--from", turns[10], "--to", turns[14], "a summary")
        place.spoor("user", "and on")
        place.spoor("edit", turns[2], "and another")
        place.spoor("user", "to the end")
        for options in ((), ("--include-reasoning",)):
            count, share = compare(place, "HEAD", *options)
            check(count > 40 and share < 0.5, f"{count} prompts, of which {share:.0%} is written")


def repeated_ids():
    """An agent that gives each call the same id: a part of the session has the pairs of the whole."""
    records, last = [], None
    def put(kind, **message):
        nonlocal last
        at = len(records)
        uuid = f"{at:08d}-0000-4000-8000-{at:012d}"
        records.append({"type": kind, "uuid": uuid, "parentUuid": last, "sessionId": "22220000-0000-4000-8000-000000000001",
                        "timestamp": f"2026-03-01T10:{at // 60:02d}:{at % 60:02d}.000Z", "cwd": "/home/ada/p", "isSidechain": False,
                        "message": {"role": kind, **message}})
        last = uuid
    put("user", content="go")
    for i in range(60):
        call = {"type": "tool_use", "id": "call_0", "name": "Bash", "input": {"command": f"echo {i}"}}
        put("assistant", id=f"m{i}", model="glm-4.6", content=[call], usage={"input_tokens": 1, "output_tokens": 1})
        result = {"type": "tool_result", "tool_use_id": "call_0", "is_error": i % 5 == 0, "content": f"out {i}"}
        put("user", content=[result])
    with Workplace() as place:
        (place.path / "s.jsonl").write_text("".join(json.dumps(each) + "\n" for each in records))
        place.spoor("import", "s.jsonl")
        compare(place, "1")
        asked = [{"op": "turns", "revision": "1", "from": at, "limit": 7} for at in range(0, len(records), 7)]
        parts = [turn for part in place.batch(asked) for turn in part["turns"]]
        whole = place.batch([{"op": "turns", "revision": "1", "from": 0, "limit": 1000}])[0]["turns"]
        for part, turn in zip(parts, whole, strict=True):
            check(part == turn, f"turn {turn['position']} is another in a part")
        failed = [turn["position"] for turn in whole if any(call["outcome"] == "failed" for call in turn["calls"]) and turn["kind"] == "tool"]
        check(failed == [10 * i + 2 for i in range(12)], f"these failed: {failed}")


def real():
    folders = os.environ.get("SPOOR_REAL_SESSIONS", "")
    for path in sorted(each for folder in folders.split(":") if folder for each in pathlib.Path(folder).rglob("*.jsonl")):
        with Workplace() as place:
            place.spoor("import", str(path))
            print(f"{path.name}: {compare(place, '1')[0]} prompts", flush=True)


marked()
repeated_ids()
real()
