"""How long a person waits: SPOOR_PROGRAM=build/release/spoor python3 bench/repl.py [COMMITS...]

At a pseudo-terminal, on a store with a branch of that many commits: from the start of the process to
the first prompt, from Tab to the list of candidates, and from Enter to the prompt behind short
commands. Medians, in milliseconds, of the time until all of it has been read from the terminal; so
this script's own reading is in them, and stands below them as the floor: the same for /bin/echo.
"""

import json
import os
import pathlib
import statistics
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tests" / "repl"))

from typist import CTRL_U, ENTER, PROGRAM, TAB, Home, Typist, spawn  # noqa: E402

ROUNDS = 25
BATCH = 1000


def make_store(home, commits):
    home.spoor("init")
    lines = []
    for begin in range(0, commits, BATCH):
        turns = [{"op": "assistant" if n % 2 else "user", "text": f"turn {n}: " + "words " * 40}
                 for n in range(begin, min(begin + BATCH, commits))]
        lines.append(json.dumps({"op": "transaction", "ops": turns}))
    done = subprocess.run([PROGRAM, "batch"], cwd=home.path, env=home.environment,
                          input="\n".join(lines), stdout=subprocess.PIPE, encoding="utf-8", check=True)
    assert '"error"' not in done.stdout, done.stdout[:400]


def timed(action):
    began = time.perf_counter()
    action()
    return (time.perf_counter() - began) * 1000


def first_prompt(home):
    began = time.perf_counter()
    with Typist(home) as person:
        person.prompt()
        return (time.perf_counter() - began) * 1000


def echo():
    began = time.perf_counter()
    pid, terminal = spawn(["/bin/echo", "x"], "/", {})
    os.read(terminal, 100)
    took = (time.perf_counter() - began) * 1000
    os.waitpid(pid, 0)
    os.close(terminal)
    return took


def tab(person, line, listed):
    """From Tab to the last line of the list, with the line typed before it."""
    prompt = person.prompt()
    person.type(line)
    person.wait_for_line(prompt + line)
    mark = len(person.seen)
    person.type(TAB)
    took = timed(lambda: person.wait(lambda _: listed in person.seen[mark:], listed))
    person.wait_for_line(prompt + line)
    person.type(CTRL_U)
    person.wait_for_line(prompt)
    return took


def command(person, line):
    prompt = person.prompt()
    person.type(line)
    person.wait_for_line(prompt + line)
    mark = len(person.seen)
    person.type(ENTER)
    return timed(lambda: person.wait(lambda _: person.seen[mark:].endswith("> "), "a prompt"))


def measure(commits):
    home = Home()
    make_store(home, commits)
    root = home.id_of(f"HEAD~{commits - 1}")
    figures = {"first prompt": [first_prompt(home) for _ in range(ROUNDS)]}
    with Typist(home) as person:
        newest = person.prompt().split()[1].rstrip(">")
        rounds = {
            "Tab: verbs": lambda: tab(person, "s", "system"),
            "Tab: branches and the newest ids": lambda: tab(person, "show ", newest),
            "Tab: ids by two digits": lambda: tab(person, "show " + root[:2], "more"),
            "log -n 20": lambda: command(person, "log -n 20"),
            "at the root, then next": lambda: command(person, "next"),
            "prev": lambda: command(person, "prev"),
        }
        for name, run in rounds.items():
            if name.startswith("at"):
                person.run(f"at HEAD~{commits - 1}")
            figures[name] = [run() for _ in range(ROUNDS)]
    home.close()
    return {name: statistics.median(times) for name, times in figures.items()}


def main():
    sizes = [int(word) for word in sys.argv[1:]] or [10_000, 100_000]
    columns = [measure(size) for size in sizes]
    print("| milliseconds, median | " + " | ".join(f"{size:,} commits" for size in sizes) + " |")
    print("| --- |" + " --- |" * len(sizes))
    for name in columns[0]:
        print(f"| {name} | " + " | ".join(f"{column[name]:.1f}" for column in columns) + " |")
    print(f"\nfloor, /bin/echo at a pseudo-terminal: "
          f"{statistics.median(echo() for _ in range(ROUNDS)):.1f} ms")


if __name__ == "__main__":
    main()
