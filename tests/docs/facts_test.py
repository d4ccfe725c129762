"""docs/facts.md is the schema of src/compile/fact.h, and stores hold nothing that is not in it.

`facts_test.py --write` writes the table anew. Stores: the sessions of tests/data, and those of
shared/data where they are, each imported and each commit of each ref read.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/facts.md"
BEGIN, END = "<!-- begin: src/compile/fact.h -->\n", "<!-- end -->\n"
NAMES = {"Text": "text", "Integer": "integer", "Flag": "`true`", "Any": "any JSON"}
FACT = re.compile(r'inline constexpr (\w+) \w+\{\s*"(\w+)"\};(?:\s*///< (.*(?:\n\s*///< .*)*))?')


def schema():
    """Returns (section, [(key, type, meaning)]) of each section of the header."""
    text = (ROOT / "src/compile/fact.h").read_text(encoding="utf-8")
    for part in re.split(r"^// ---- ", text, flags=re.M)[1:]:
        name = part.split(" ----", 1)[0]
        yield name, [(key, kind, re.sub(r"\s*\n\s*///< ", " ", said))
                     for kind, key, said in FACT.findall(part)]


def table():
    """Returns the schema as the page shows it."""
    lines = []
    for name, facts in schema():
        lines += [f"\n## {name}\n\n| key | value | meaning |\n| --- | --- | --- |\n"]
        lines += [f"| `{key}` | {NAMES[kind]} | {said} |\n" for key, kind, said in facts]
    return "".join(lines) + "\n"


def fits(value, kind):
    """Tells whether a value is of the type that the schema gives its key."""
    return {"Text": isinstance(value, str), "Flag": value is True, "Any": True,
            "Integer": isinstance(value, int) and not isinstance(value, bool)}[kind]


def metas(program, paths):
    """Imports `paths`, and returns the facts of every commit with the ref it was found on."""
    with tempfile.TemporaryDirectory() as folder:
        def spoor(*arguments, text=None):
            return subprocess.run([program, "-s", folder + "/s", *arguments], input=text,
                                  capture_output=True, text=True, check=False,
                                  env={"HOME": folder, "NO_COLOR": "1", "LC_ALL": "C.UTF-8"}).stdout

        for path in paths:
            spoor("import", str(path))
        refs = json.loads(spoor("batch", text='{"op":"refs","prefix":"refs/"}\n'))["result"]["refs"]
        for ref in refs:
            for line in spoor("export", "--jsonl", ref["name"]).split("\n"):
                if line:
                    yield ref["name"], json.loads(line).get("meta") or {}


def main():
    """Compares the page with the header, and stores with both."""
    page = PAGE.read_text(encoding="utf-8")
    start, end = page.index(BEGIN) + len(BEGIN), page.index(END)
    if "--write" in sys.argv:
        PAGE.write_text(page[:start] + table() + page[end:], encoding="utf-8")
        return 0
    if page[start:end] != table():
        print("docs/facts.md differs from src/compile/fact.h: run tests/docs/facts_test.py --write")
        return 1

    kinds, wrong, seen = {}, set(), 0
    for _, facts in schema():
        for key, kind, _ in facts:
            kinds.setdefault(key, []).append(kind)
    paths = [path for path in sorted((ROOT / "tests/data/import").iterdir())]
    sessions = ROOT.parent / "shared/data"
    if sessions.is_dir():
        paths += sorted(sessions.iterdir())
    else:
        print("no sessions at ../shared/data: the repository's own alone")
    for ref, meta in metas(os.environ["SPOOR_PROGRAM"], paths):
        seen += 1
        for key, value in meta.items():
            if not any(fits(value, kind) for kind in kinds.get(key, [])):
                wrong.add(f"{ref}: {key} is {json.dumps(value)[:60]}")
    for line in sorted(wrong):
        print(line)
    print(f"{seen} commits, {len(wrong)} facts outside the schema")
    return 1 if wrong or seen < 100 else 0


if __name__ == "__main__":
    sys.exit(main())
