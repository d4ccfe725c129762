#!/usr/bin/env python3
"""Measures everything, and writes the figures into docs/benchmarks.md and docs/scale.md: bench/page.py [PART]...

A page has a pair of comments for each of its parts, `<!-- PART -->` and `<!-- end -->`; what is between
them is replaced, the rest stays. PART is figures, agent, receive, proxy, postgres, capacity, peers, repl, tui, viewers or scale;
without one, all of them.
Programs are those of build/bench (`./dev bench --page` builds them).
"""
import json
import os
import pathlib
import platform
import re
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
PAGES = [SOURCE / "docs/benchmarks.md", SOURCE / "docs/scale.md"]
BUILD = SOURCE / "build/bench"


def output_of(*command):
    environment = dict(os.environ, SPOOR_PROGRAM=str(BUILD / "spoor"))
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, env=environment)
    if done.returncode:
        print("%s: status %d" % (command[0], done.returncode), file=sys.stderr)
    return done.stdout.decode()


def short(number):
    return "%s" % (format(round(number), ",") if number >= 100 else "%.3g" % number)


def machine(stores="stores on tmpfs"):
    cpu = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())
    compiler = subprocess.run(["c++", "--version"], stdout=subprocess.PIPE).stdout.decode().split("\n")[0]
    return "%d cores of %s, Linux %s, %s; %s." % (
        os.cpu_count(), cpu.group(1) if cpu else platform.machine(), platform.release().split("-")[0],
        compiler, stores)


def table(rows, stores="stores on tmpfs"):
    lines = [machine(stores), "", "| figure | ours | floor | ratio | wanted | met |", "|---|---|---|---|---|---|"]
    for row in rows:
        floor = short(row["floor"]) if row["floor"] else ""
        met = "" if row["target"] is None else "yes" if row["met"] else "no"
        note = row["note"].removeprefix("floor: ")
        floor += ", " + note if floor and note else note
        lines.append("| %s | %s %s | %s | %s | %s | %s |" % (
            row["name"].strip().lstrip("… "), short(row["value"]), row["unit"], floor,
            short(row["ratio"]) if row["floor"] else "", row["target"] or "", met))
    missed = sum(not row["met"] for row in rows)
    wanted = sum(row["target"] is not None for row in rows)
    lines += ["", "%d figures; of %d with a wish, %d are missed." % (len(rows), wanted, missed)]
    return "\n".join(lines)


def measured(*part):
    return json.loads(output_of(BUILD / "bench/spoor_bench", "--json", *part))


def server():
    """The server of the measurements, and what its files are on."""
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/postgres"), key=lambda path: int(path.parts[4]))
    version = output_of(programs[-1], "--version").split()[2] if programs else "not installed"
    disk = output_of("findmnt", "-no", "SOURCE,FSTYPE", "-T", tempfile.gettempdir()).split()
    return "PostgreSQL %s, its files on %s" % (version, ", ".join(disk))


# Amazon RDS for PostgreSQL, us-east-1, on demand, as quoted in June 2026 (docs/scale.md).
DOLLARS_GB_MONTH = 0.115  # gp3
DOLLARS_CORE_HOUR = 0.065 / 2  # db.t4g.medium
TURNS = 1e9


def arithmetic(rows):
    """What a thousand million turns take, from what one takes."""
    by_name = {row["name"]: row for row in rows}
    stored = by_name["bytes a turn of 600, stored"]["value"]
    log = by_name["bytes a turn in the write-ahead log"]["value"]
    work = by_name["processor time of the server a turn"]["value"] * 1e-6
    index = sum(row["value"] for row in rows if row["name"].startswith("… in the indexes of"))
    real = by_name.get("bytes a commit of real sessions, stored")
    disk = stored * TURNS / 1e9
    lines = ["| %s turns of 600 bytes | | how |" % format(int(TURNS), ","), "|---|---|---|"]

    def add(name, value, how):
        lines.append("| %s | %s | %s |" % (name, value, how))

    add("disk", "%s GB" % short(disk), "%s B a turn" % short(stored))
    add("… of them indexes", "%s GB" % short(index * TURNS / 1e9), "%s B a turn; in memory, appends read no disk" % short(index))
    if real:
        add("disk, as in real sessions", "%s GB" % short(real["value"] * TURNS / 1e9), "%s B a commit" % short(real["value"]))
    for rate in (100, 1_000, 5_000):
        add("at %s turns a second" % short(rate), "%s cores, %s MB/s of log" % (short(rate * work), short(rate * log / 1e6)),
            "%s µs of the server, %s B of log a turn" % (short(work * 1e6), short(log)))
        add("… all are written after", "%s days" % short(TURNS / rate / 86_400), "")
    month = disk * DOLLARS_GB_MONTH
    cores = max(2, 1_000 * work)
    add("storage a month", "$%s" % short(month), "$%s a GB" % DOLLARS_GB_MONTH)
    add("cores a month, for 1,000 turns a second", "$%s" % short(cores * DOLLARS_CORE_HOUR * 730),
        "%s cores, $%s an hour each" % (short(cores), DOLLARS_CORE_HOUR))
    add("both, with a synchronous standby", "$%s" % short(2 * (month + cores * DOLLARS_CORE_HOUR * 730)), "twice")
    return "\n".join(lines)


def capacity():
    rows = measured("--capacity")
    return table(rows, server() + ", fsync off") + "\n\n" + arithmetic(rows)


# Measured with the figures, and written elsewhere.
OWN_PARTS = ("agent", "telemetry", "hook", "proxy", "postgres", "servers", "capacity")
PARTS = {
    "figures": lambda: table([row for row in measured() if row["part"] not in OWN_PARTS]),
    "agent": lambda: table(measured("--agent")),
    "receive": lambda: table(measured("--receive")),
    "proxy": lambda: table(measured("--proxy")),
    "postgres": lambda: table(measured("--postgres") + measured("--servers"), server() + ", fsync on"),
    "capacity": capacity,
    "peers": lambda: output_of(sys.executable, SOURCE / "bench/peers.py").strip(),
    "repl": lambda: output_of(sys.executable, SOURCE / "bench/repl.py").strip(),
    "tui": lambda: output_of(sys.executable, SOURCE / "bench/tui.py").strip(),
    "viewers": lambda: output_of("node", SOURCE / "bench/viewers.mjs").strip(),
    "scale": lambda: output_of(sys.executable, SOURCE / "bench/scale.py").strip(),
}


def main():
    for part in sys.argv[1:] or PARTS:
        if part not in PARTS:
            sys.exit("no part '%s': %s" % (part, ", ".join(PARTS)))
        begin, end = "<!-- %s -->\n" % part, "<!-- end -->"
        places = [page for page in PAGES if begin in page.read_text()]
        if len(places) != 1:
            sys.exit("the pages have no place for '%s'" % part)
        text = PARTS[part]()
        before, rest = places[0].read_text().split(begin)
        places[0].write_text(before + begin + text + "\n" + rest[rest.index(end):])
        print("%s: written" % part, file=sys.stderr)


if __name__ == "__main__":
    main()
