"""How long a person waits for the terminal browser, next to tig: SPOOR_PROGRAM=build/release/spoor python3 bench/tui.py
[COMMITS...]

At a pseudo-terminal of 80 columns and 24 rows, on a branch of that many turns, and on a git repository of as many commits if
tig is installed. Medians, in milliseconds, from a key until the wanted rows have been read and understood by the emulator of
tests/repl, which is in all figures. The first column is a cold start for spoor: a new process; the list of sessions is in
the store's cache, as from the second time on. tig loads all commits, in the background.
"""

import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "repl"))

import typist  # noqa: E402
from repl import make_store  # noqa: E402
from typist import ENTER, Home, Typist  # noqa: E402

ROUNDS = 9


def timed(person, keys, is_there, what):
    began = time.perf_counter()
    person.type(keys)
    person.wait(is_there, what)
    return (time.perf_counter() - began) * 1000


def peak(person):
    for line in pathlib.Path(f"/proc/{person.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024
    return 0


def pane(*texts):
    """Whether the pane has all of these and waits for nothing."""
    def is_there(screen):
        heading, below = screen.rows()[9], "\n".join(screen.rows()[10:])
        return "──" in heading and " …" not in heading and all(text in heading or text in below for text in texts)
    return is_there


def spoor(commits):
    home = Home()
    make_store(home, commits)
    home.spoor("sessions")
    figures = {"start": [], "row": [], "far": [], "prompt": []}
    middle = commits // 2
    for _ in range(ROUNDS):
        began = time.perf_counter()
        with Typist(home, words=("tui", "main")) as person:
            person.wait(pane("spoor show", f"turn {commits - 1}: words"), "the first screen")
            figures["start"].append((time.perf_counter() - began) * 1000)
            figures["row"].append(timed(person, "k", pane(f"turn {commits - 2}: words"), "a row"))
            figures["far"].append(timed(person, f":{middle + 1}" + ENTER, pane(f"turn {middle}: words"), "a far row"))
            figures["prompt"].append(timed(person, "p", pane("spoor pprint", f"turn {middle}: words"), "a prompt"))
            memory = peak(person)
    home.close()
    return [statistics.median(figures[name]) for name in figures] + [memory]


def tig(commits):
    with tempfile.TemporaryDirectory() as folder:
        environment = {"HOME": folder, "PATH": os.environ["PATH"], "TERM": "xterm", "GIT_CONFIG_NOSYSTEM": "1"}
        subprocess.run(["git", "init", "-q", "--bare", "-b", "main", folder], check=True, env=environment)
        stream = []
        for n in range(commits):
            text = f"turn {n}: " + "words " * 40
            stream.append(f"blob\nmark :{2 * n + 1}\ndata {len(text)}\n{text}\ncommit refs/heads/main\nmark :{2 * n + 2}\n"
                          f"committer a <a@b> {1700000000 + n} +0000\ndata {len(text)}\n{text}\n"
                          + (f"from :{2 * n}\n" if n else "") + f"M 100644 :{2 * n + 1} turn\n")
        subprocess.run(["git", "-C", folder, "fast-import", "--quiet"], input="".join(stream), text=True, check=True, env=environment)
        home = Home()
        home.path, was = folder, home.path
        home.environment = environment
        figures = {"start": [], "row": []}
        program, typist.PROGRAM = typist.PROGRAM, shutil.which("tig")
        for _ in range(ROUNDS):
            began = time.perf_counter()
            with Typist(home, words=()) as person:
                person.wait(lambda screen: f"turn {commits - 1}: words" in screen.text(), "tig's first screen")
                figures["start"].append((time.perf_counter() - began) * 1000)
                person.type(ENTER)
                person.wait(lambda screen: f"    turn {commits - 1}: words" in screen.text(), "tig's diff")
                figures["row"].append(timed(person, "\x1bOB", lambda screen: f"    turn {commits - 2}: words" in screen.text(), "a row"))
                memory = peak(person)
        typist.PROGRAM = program
        home.path = was
        home.close()
        return [statistics.median(figures[name]) for name in figures] + [None, None, memory]


def main():
    print("| | turns | first screen, ms | a row and its text, ms | a row far away, ms | the prompt there, ms | memory, MB |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for commits in [int(word) for word in sys.argv[1:]] or [1000, 10000, 100000]:
        for name, measure in (("spoor tui", spoor), ("tig", tig if shutil.which("tig") else None)):
            if measure:
                cells = ["" if each is None else f"{each:.1f}" for each in measure(commits)]
                print(f"| {name} | {commits:,} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
