"""How a store grows: SPOOR_PROGRAM=build/release/spoor python3 bench/scale.py [COMMITS...]

Makes stores of so many commits (default: 10,000, 100,000 and 1,000,000) on one branch, with texts of
300 bytes on average, others with ten and two hundred branches of a thousand, as a store of sessions is,
and some whose every commit is the fork of one before, as a tree search writes them. Prints tables in
Markdown: what a command takes as a whole process, in milliseconds of processor time (the median of
three; one for what reads everything), and its largest memory in MiB (this script's own, where that is
more); and the size of the file before and after it is packed.
"""

import json
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import time

PROGRAM = str(pathlib.Path(os.environ["SPOOR_PROGRAM"]).resolve())
BATCH = 1000


def run(store, *words, feed=None):
    """Seconds by the clock, seconds of processor time and MiB of one process."""
    command = [PROGRAM, "--store", store, *words]
    output = tempfile.TemporaryFile("w+", encoding="utf-8")
    began = time.perf_counter()
    process = subprocess.Popen(command, stdin=subprocess.PIPE if feed else subprocess.DEVNULL,
                               stdout=output, stderr=subprocess.PIPE, encoding="utf-8")
    if feed:
        for line in feed:
            process.stdin.write(line + "\n")
        process.stdin.close()
    said = process.stderr.read()
    output.seek(0)
    for answer in output if feed else []:
        if '"error"' in answer:
            sys.exit(answer[answer.index('"error"'):][:300])
    _, status, usage = os.wait4(process.pid, 0)
    took = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(command)}: {said}")
    return took, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def turns(count, rng, to={}):
    words = [f"word{n}" for n in range(2000)]
    for begin in range(0, count, BATCH):
        ops = [{"op": "assistant" if n % 2 else "user", **to,
                "text": f"turn {n}: " + " ".join(rng.choices(words, k=rng.randrange(5, 85)))}
               for n in range(begin, min(begin + BATCH, count))]
        yield json.dumps({"op": "transaction", "ops": ops})


def sessions(count, rng):
    for n in range(count):
        yield from turns(BATCH, rng, {"branch": f"s{n}"})


def forks(count, rng):
    """A tree: each node is a branch of its own, from a random one before."""
    yield json.dumps({"op": "user", "text": "the root", "branch": "n0"})
    for begin in range(1, count, 50):  # A round of the search.
        ops = []
        for n in range(begin, min(begin + 50, count)):
            parent = rng.randrange(max(0, begin - 500), begin)
            ops.append({"op": "branch", "name": f"n{n}", "to": f"n{parent}"})
            ops.append({"op": "assistant", "text": f"node {n}", "branch": f"n{n}"})
        yield json.dumps({"op": "transaction", "ops": ops})


TABLE = {}  # Of the stores of one kind: a row's name to a column's cells.
COLUMNS = []


def begin_column(title):
    COLUMNS.append(title)
    print(title, file=sys.stderr, flush=True)


def add(name, cells):
    TABLE.setdefault(name, {})[COLUMNS[-1]] = cells


def report(name, samples):
    work = statistics.median(sample[1] for sample in samples) * 1000
    memory = max(sample[2] for sample in samples)
    add(name, (f"{work:,.0f}" if work >= 10 else f"{work:.1f}", f"{memory:,.0f}"))


def tell_size(name, store):
    add(name, (f"{os.path.getsize(store) / 1e6:,.1f}", ""))


def print_table(title):
    print(f"| {title} | " + " | | ".join(COLUMNS) + " | |")
    print("|---|" + "---|---|" * len(COLUMNS))
    for name, row in TABLE.items():
        cells = [cell for column in COLUMNS for cell in row.get(column, ("", ""))]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print(flush=True)
    TABLE.clear()
    COLUMNS.clear()


def ask(name, store, words, times=3):
    report(name, [run(store, *words()) for _ in range(times)])


def ask_about(store, branch, somewhere):
    """What looks at a little of a history."""
    ask("`log -n 20`", store, lambda: ["log", "-n", "20", branch()])
    ask("`show`, the first time", store, lambda: ["show", somewhere()], 1)
    ask("`show`, anywhere", store, lambda: ["show", somewhere()])
    ask("`compile --budget 8000`, anywhere", store,
        lambda: ["compile", somewhere(), "--budget", "8000"])


def read_all(store):
    """What reads all there is."""
    query = lambda: ["search", "--query", "word7 word8 word9"]
    ask("`search --query`, the first time", store, query, 1)
    ask("`search --query`, again", store, query)
    ask("`store fsck`", store, lambda: ["store", "fsck"], 1)
    ask("`store gc`, dry run", store, lambda: ["store", "gc"], 1)


def measure(folder, count):
    rng = random.Random(1)
    store = f"{folder}/{count}.spoor"
    run(store, "init")
    begin_column(f"{count:,}")
    began = time.time()
    report("writing them, 1,000 at once", [run(store, "batch", feed=turns(count, rng))])
    then = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime((began + time.time()) / 2))
    tell_size("file, MB", store)
    main_branch = lambda: "main"
    somewhere = lambda: f"main~{rng.randrange(count // 10, count - 1)}"
    ask_about(store, main_branch, somewhere)
    ask("`fork --n 100 --no-run`", store,
        lambda: ["fork", "main", "--n", "100", "--model", "openai/gpt-5", "--no-run"], 1)
    ask("`show main@{half-way}`", store, lambda: ["show", f"main@{{{then}}}"])
    read_all(store)
    ask("`store gc --prune`, which packs", store, lambda: ["store", "gc", "--prune"], 1)
    ask("`store gc --vacuum`", store, lambda: ["store", "gc", "--vacuum"], 1)
    tell_size("file, packed, MB", store)
    ask("packed: `show`, the first time", store, lambda: ["show", somewhere()], 1)
    ask("packed: `show`, anywhere", store, lambda: ["show", somewhere()])
    ask("packed: `store fsck`", store, lambda: ["store", "fsck"], 1)


def measure_sessions(folder, count):
    rng = random.Random(3)
    store = f"{folder}/sessions{count}.spoor"
    run(store, "init")
    begin_column(f"{count:,}")
    report("writing them", [run(store, "batch", feed=sessions(count, rng))])
    tell_size("file, MB", store)
    session = lambda: f"s{rng.randrange(count)}"
    somewhere = lambda: f"{session()}~{rng.randrange(BATCH - 1)}"
    ask_about(store, session, somewhere)
    ask("`compile`, anywhere", store, lambda: ["compile", somewhere()])
    read_all(store)


def measure_forks(folder, count):
    rng = random.Random(2)
    store = f"{folder}/forks{count}.spoor"
    run(store, "init")
    begin_column(f"{count:,}")
    report("writing them", [run(store, "batch", feed=forks(count, rng))])
    tell_size("file, MB", store)
    node = lambda: f"n{rng.randrange(count)}"
    ask("`log` of a node", store, lambda: ["log", "-n", "20", node()])
    ask("`compile` a node", store, lambda: ["compile", node()])
    ask("`store fsck`", store, lambda: ["store", "fsck"], 1)
    ask("`store gc`, dry run", store, lambda: ["store", "gc"], 1)


def main():
    with tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        os.environ["XDG_DATA_HOME"] = folder + "/data"
        for count in [int(word) for word in sys.argv[1:]] or [10**4, 10**5, 10**6]:
            measure(folder, count)
            pathlib.Path(f"{folder}/{count}.spoor").unlink()
        print_table("commits on one branch")
        for count in [10, 200]:
            measure_sessions(folder, count)
        print_table("branches of 1,000 commits")
        for count in [10**3, 10**4]:
            measure_forks(folder, count)
        print_table("nodes of a tree, each a branch")


main()
