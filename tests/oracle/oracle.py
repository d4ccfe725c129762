"""The oracle: rebuilds every session from its source, and compares it with what spoor has of it.

It shares nothing with spoor's importers: the JSON reader is Python's, the formats were read from
the files. Usage: oracle.py [--only TEXT] [--format NAME] [--all] [--limit N]
"""

import argparse
import collections
import copy
import fnmatch
import os
import pathlib
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import loose  # noqa: E402
import matching  # noqa: E402
import prompts  # noqa: E402
from compare import Comparison  # noqa: E402
from difference import Difference  # noqa: E402
from exemptions import EXEMPTIONS, NOT_SESSIONS  # noqa: E402
from readers import all_readers  # noqa: E402
from store import Failed, Store, read_branches, read_prompts  # noqa: E402

DATA = HERE.parent.parent.parent / "shared" / "data"
FIXTURES = HERE / "fixtures"


class Tally:
    """Counts of one format, and its differences."""

    def __init__(self):
        self.files = self.branches = self.messages = self.calls = self.results = 0
        self.exemptions = collections.Counter()
        self.differences = []  # (file, Difference)


def sources(readers, data):
    """Returns [(format, root, path)] of every source, the files that no reader claims, and how many
    files of each pattern of NOT_SESSIONS there are."""
    found = []
    claimed = set()
    for name, reader in readers.items():
        roots = [(DATA, pattern) for pattern in reader.PATHS] if data else [(FIXTURES / name, "*")]
        for root, pattern in roots:
            for path in sorted(root.glob(pattern)):
                if path.name.startswith(".") and path.is_dir():
                    continue
                found.append((name, root, path))
                claimed.update([path] if path.is_file() else path.rglob("*"))
    strangers = []
    passed = collections.Counter()
    for path in sorted(DATA.rglob("*")) if data else []:
        inside = str(path.relative_to(DATA))
        if not path.is_file() or path in claimed:
            continue
        pattern = next((p for p in NOT_SESSIONS if fnmatch.fnmatch(inside, p)), None)
        passed[pattern] += 1
        if pattern is None:
            strangers.append(inside)
    return found, strangers, passed


def undocumented():
    """Returns the exemptions that docs/importing.md does not name."""
    text = (HERE.parent.parent / "docs" / "importing.md").read_text(encoding="utf-8")
    section = text.partition("## What the oracle leaves out")[2].partition("\n## ")[0]
    rows = [line for line in section.split("\n") if line.startswith("| ")]
    return [f"{name} {record_type}" for name, table in EXEMPTIONS.items() for record_type in table
            if not any(row.startswith(f"| {name} |") and f"`{record_type}`" in row for row in rows)]


def demands_exit_codes(sessions):
    """True if the sessions have exit codes, so that spoor's have to be read."""
    return any(message.exit_code is not None for session in sessions
               for branch in session.branches for message in branch.messages)


def check(program, reader, path):
    """Compares one source. Returns (sessions, differences)."""
    sessions = reader.read(path)
    with tempfile.TemporaryDirectory(prefix="spoor-oracle") as folder:
        try:
            stored, contents = read_branches(Store(program, folder, [str(path)]),
                                             demands_exit_codes(sessions))
        except Failed as problem:
            if not any(session.branches for session in sessions):
                return sessions, []  # There is nothing in it, and spoor says so.
            return sessions, [Difference("import", "", "a session", str(problem))]
    comparison = Comparison(contents)
    loose.loosen(sessions, stored, contents)
    comparison.branches(sessions, *matching.match(matching.told_once(sessions), stored))
    for session in sessions:
        for record_type in session.passed:
            if record_type not in EXEMPTIONS.get(session.format, {}):
                comparison.differ("record type that the oracle does not know", "", record_type, "")
    return sessions, comparison.differences


def check_together(program, reader, paths):
    """Imports all sources of a format into one store. Returns (path, difference) of branches that
    are not there, or are others, than where each source has a store of its own.

    Captures of one conversation share their commits, so that a branch may go on in a longer one.
    """
    found = []
    with tempfile.TemporaryDirectory(prefix="spoor-oracle") as folder:
        try:
            stored = read_prompts(Store(program, folder, [str(path) for path in paths]))
        except Failed as problem:
            return [(paths[0], Difference("import together", "", "sessions", str(problem)))]
    for path in paths:
        sessions = reader.read(path)
        loose.as_sent(sessions)
        is_loose = any(session.loose for session in sessions)
        loose.loosen(sessions, copies := copy.deepcopy(stored) if is_loose else stored, None)
        for session in sessions:
            for branch in session.branches:
                if not any(prompts.begins_with(session, branch, other) for other in copies):
                    found.append((path, Difference(
                        "branch missing beside others", branch.messages[0].place,
                        f"{len(branch.messages)} messages", "no branch begins with them")))
    return found


def add(tally, name, sessions, differences):
    """Counts what was compared of one source."""
    tally.files += 1
    for session in sessions:
        tally.exemptions.update(session.passed)
        for branch in session.branches:
            tally.branches += 1
            tally.messages += len(branch.messages)
            tally.calls += sum(len(m.calls) for m in branch.messages)
            tally.results += sum(m.kind == "tool" for m in branch.messages)
    tally.differences += [(name, difference) for difference in differences]


def print_table(tallies):
    """Prints the counts, a line a format."""
    columns = ("format", "files", "branches", "messages", "calls", "results", "exempt",
               "differences")
    rows = [(name, t.files, t.branches, t.messages, t.calls, t.results,
             sum(t.exemptions.values()), len(t.differences)) for name, t in sorted(tallies.items())]
    rows.append(("all", *(sum(row[i] for row in rows) for i in range(1, len(columns)))))
    print(f"{columns[0]:20}" + "".join(f"{c:>13}" for c in columns[1:]))
    for row in rows:
        print(f"{row[0]:20}" + "".join(f"{c:13}" for c in row[1:]))


def print_exemptions(tallies):
    """Prints what was passed over, and why."""
    print("\nexemptions")
    for name, tally in sorted(tallies.items()):
        for record_type, count in sorted(tally.exemptions.items()):
            reason = EXEMPTIONS.get(name, {}).get(record_type, "NOT IN exemptions.py")
            print(f"  {name} {record_type}: {count} ({reason})")


def print_differences(tallies, limit):
    """Prints the differences, at most `limit` of one kind and format."""
    for name, tally in sorted(tallies.items()):
        kinds = collections.defaultdict(list)
        for file, difference in tally.differences:
            kinds[difference.what].append((file, difference))
        for what, found in kinds.items():
            files = len({file for file, _ in found})
            print(f"\n{name}: {what}: {len(found)} in {files} file(s)")
            for file, difference in found[:limit]:
                print(f"  {file} {difference.place}")
                print(f"    source: {difference.expected}")
                print(f"    spoor:  {difference.got}")
            if len(found) > limit:
                print(f"  … and {len(found) - limit} more")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="sources whose path contains this")
    parser.add_argument("--format", default="", help="sources of this format")
    parser.add_argument("--limit", type=int, default=3, help="differences printed of each kind")
    parser.add_argument("--fixtures", action="store_true", help="the fixtures, not the sessions")
    options = parser.parse_args()
    if not options.fixtures and not DATA.is_dir():
        print(f"skipped: no sessions at {DATA}")
        return 0
    program = os.environ.get("SPOOR_PROGRAM") or shutil.which("spoor")
    if not program:
        sys.exit("set SPOOR_PROGRAM to the program that is tested")
    readers = all_readers()
    found, strangers, passed = sources(readers, not options.fixtures)
    found = [s for s in found if options.only in str(s[2]) and options.format in ("", s[0])]
    started = time.monotonic()
    tallies = collections.defaultdict(Tally)

    def one(source):
        return check(program, readers[source[0]], source[2])

    with ThreadPoolExecutor(2) as pool:
        for (name, root, path), (sessions, differences) in zip(found, pool.map(one, found)):
            add(tallies[name], str(path.relative_to(root)), sessions, differences)
    if not options.only:
        for name, reader in readers.items():
            if name not in tallies:
                continue
            # What differs already where it has a store of its own is named once.
            known = {file for file, _ in tallies[name].differences}
            paths = [path for of, root, path in found if of == name
                     and str(path.relative_to(root)) not in known]
            for path, difference in check_together(program, reader, paths) if paths else []:
                tallies[name].differences.append((path.name, difference))
    if not (options.only or options.format):
        for stranger in strangers:
            tallies["(no reader)"].differences.append(
                (stranger, Difference("file that no reader claims", "", "", "")))
    for exemption in undocumented():
        tallies["(no reader)"].differences.append((exemption, Difference(
            "exemption that docs/importing.md does not name", "", exemption, "")))
    print_table(tallies)
    print_exemptions(tallies)
    for pattern, count in sorted(passed.items(), key=str):
        print(f"  not sessions, {pattern}: {count} ({NOT_SESSIONS.get(pattern, 'not in the table')})")
    print_differences(tallies, options.limit)
    print(f"\n{time.monotonic() - started:.1f} s")
    return 1 if any(t.differences for t in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
