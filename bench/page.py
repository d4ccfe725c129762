#!/usr/bin/env python3
"""Measures everything, and writes the figures into docs/benchmarks.md: bench/page.py [PART]...

The page has a pair of comments for each part, `<!-- PART -->` and `<!-- end -->`; what is between
them is replaced, the rest stays. PART is figures, receive, proxy, peers, repl or scale; without one, all of
them.
Programs are those of build/bench (`./dev bench --page` builds them).
"""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGE = SOURCE / "docs/benchmarks.md"
BUILD = SOURCE / "build/bench"


def output_of(*command):
    environment = dict(os.environ, SPOOR_PROGRAM=str(BUILD / "spoor"))
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, env=environment)
    if done.returncode:
        print("%s: status %d" % (command[0], done.returncode), file=sys.stderr)
    return done.stdout.decode()


def short(number):
    return "%s" % (format(round(number), ",") if number >= 100 else "%.3g" % number)


def machine():
    cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    compiler = subprocess.run(["c++", "--version"], stdout=subprocess.PIPE).stdout.decode().split("\n")[0]
    return "%d cores of %s, Linux %s, %s; stores on tmpfs." % (
        os.cpu_count(), cpu.group(1) if cpu else platform.machine(), platform.release().split("-")[0],
        compiler)


def table(rows):
    lines = [machine(), "", "| figure | ours | floor | ratio | wanted | met |", "|---|---|---|---|---|---|"]
    for row in rows:
        floor = short(row["floor"]) if row["floor"] else ""
        met = "" if row["target"] is None else "yes" if row["met"] else "no"
        note = row["note"].removeprefix("floor: ")
        floor += ", " + note if floor and note else note
        lines.append("| %s | %s %s | %s | %s | %s | %s |" % (
            row["name"].strip().lstrip("… "), short(row["value"]), row["unit"], floor,
            short(row["ratio"]), row["target"] or "", met))
    missed = sum(not row["met"] for row in rows)
    wanted = sum(row["target"] is not None for row in rows)
    lines += ["", "%d figures; of %d with a wish, %d are missed." % (len(rows), wanted, missed)]
    return "\n".join(lines)


def measured(*part):
    return json.loads(output_of(BUILD / "bench/spoor_bench", "--json", *part))


PARTS = {
    "figures": lambda: table([row for row in measured() if row["part"] not in ("telemetry", "hook", "proxy", "postgres")]),
    "receive": lambda: table(measured("--receive")),
    "proxy": lambda: table(measured("--proxy")),
    "peers": lambda: output_of(sys.executable, SOURCE / "bench/peers.py").strip(),
    "repl": lambda: output_of(sys.executable, SOURCE / "bench/repl.py").strip(),
    "scale": lambda: output_of(sys.executable, SOURCE / "bench/scale.py").strip(),
}


def main():
    for part in sys.argv[1:] or PARTS:
        if part not in PARTS:
            sys.exit("no part '%s': %s" % (part, ", ".join(PARTS)))
        text = PARTS[part]()
        page = PAGE.read_text()
        begin, end = "<!-- %s -->\n" % part, "<!-- end -->"
        if page.count(begin) != 1:
            sys.exit("the page has no place for '%s'" % part)
        before, rest = page.split(begin)
        PAGE.write_text(before + begin + text + "\n" + rest[rest.index(end):])
        print("%s: written" % part, file=sys.stderr)


if __name__ == "__main__":
    main()
