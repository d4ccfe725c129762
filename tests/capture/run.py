"""Real agents, recorded: each from npm, in a network of its own that has nothing but the loopback device, with a provider
that is none. Each witness alone records the session of scenario.py, then all at once.

`./dev agents [AGENT...] [--only CELL]` installs the agents and runs this; one that is not there is named as skipped.
"""
import argparse
import contextlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time

import agents
import opencode_sessions
import page
import scenario
from checks import Record
from stage import PROGRAM, Stage, check

INSIDE = "SPOOR_AGENTS_INSIDE"


@contextlib.contextmanager
def watching(stage):
    """The hooks of `spoor enable`, and the `spoor watch` that they start."""
    if stage.agent.has_hooks:
        stage.spoor("enable", stage.agent.command, "--yes")
    else:
        stage.spoor("watch", "--background")
    try:
        yield
        time.sleep(2)
    finally:
        stage.spoor("watch", "--stop")


@contextlib.contextmanager
def receiving(stage, coding):
    """`spoor receive`, and the agent's telemetry on."""
    receiver = stage.start("receive", "--listen", "127.0.0.1:0")
    stage.places |= {"{receiver}": receiver.stdout.readline().strip(), "{coding}": coding}
    stage.configure(stage.agent.telemetry, stage.agent.telemetry_files)
    yield
    receiver.terminate()
    said = receiver.communicate(timeout=60)[1]
    check("could not be recorded" not in said, said)


def play(stage, witness):
    """The session of scenario.py, seen by one witness or by all of them."""
    has_proxy, has_telemetry = (witness in (name, "all") for name in ("proxy", "telemetry"))
    with contextlib.ExitStack() as stack:
        if has_telemetry and stage.agent.events:
            stack.enter_context(receiving(stage, "protobuf" if has_proxy else "json"))
        if witness in ("watch", "all"):
            stack.enter_context(watching(stage))
        said = stage.play([PROGRAM, "with", stage.agent.command, "--"] if has_proxy else [stage.agent.command])
    record = Record(stage)
    if has_telemetry:
        record.check_events()
        if stage.agent.repeats_prompts:
            record.check_compiled()
    if has_proxy:
        ends = [each.splitlines()[-1] for each in said]
        check(all(re.match(rf"spoor: recorded {stage.agent.name}/\S+: \d+ requests?, ", each) for each in ends), ends)
        record.check_requests()
    return record.summary(), record.row()


def bodies(stage, _):
    """Claude Code's own copies of its requests, imported."""
    folder = stage.home / "bodies"
    folder.mkdir()
    stage.environment["OTEL_LOG_RAW_API_BODIES"] = f"file:{folder}"
    play(stage, "telemetry")
    stage.spoor("import", str(folder))
    record = Record(stage)
    record.check_compiled()
    return f"{len(list(folder.iterdir()))} files; {record.summary()}", None


def database(stage, _):
    """OpenCode's database, of sessions that go other ways."""
    home = stage.home / "other"
    return opencode_sessions.check(PROGRAM, stage.agent.command, home, {**stage.environment, "HOME": str(home)}), None


def readme(stage, _):
    """The first commands of README.md, as they are printed there; the question is typed."""
    text = (pathlib.Path(__file__).parents[2] / "README.md").read_text()
    commands = re.findall(r"^    (spoor .*?) *(?:#.*)?$", text, re.MULTILINE)[:4]
    (stage.home / "bin").mkdir()
    (stage.home / "bin/spoor").symlink_to(PROGRAM)
    environment = {**stage.environment, "PATH": f"{stage.home}/bin:{stage.environment['PATH']}"}
    said = []
    for command in commands:
        run = subprocess.run(["bash", "-c", command], input=scenario.LOOK, env=environment, cwd=stage.work, text=True,
                             capture_output=True, timeout=120)
        check(run.returncode == 0, f"{command}: {run.stdout[-2000:]} {run.stderr[-2000:]}")
        said.append(run.stdout)
    last = stage.sent()[-1]
    check(last.mark in said[0], f"{commands[0]}: {said[0]}")
    check(scenario.LOOK in said[1] and last.mark in said[1], f"{commands[1]}: {said[1]}")
    system = json.loads(last.text)["system"][-1]["text"]
    check(system in said[2] and "--- tools" in said[2], f"{commands[2]}: {len(said[2])}")
    check(last.text in said[3], f"{commands[3]}: {len(said[3])}")
    return "; ".join(commands), None


CELLS = {"proxy": play, "watch": play, "telemetry": play, "all": play, "bodies": bodies, "readme": readme, "database": database}


def run(agent, cell, packages, rows):
    """Adds what the page says of it. Returns whether all is as it should be."""
    with tempfile.TemporaryDirectory() as place:
        start = time.monotonic()
        stage = Stage(agent, packages, pathlib.Path(place))
        try:
            (said, row), is_right = CELLS[cell](stage, cell), True
            if row:
                rows.append((page.name_of(agent, packages), cell, *row))
        except Exception as error:
            said, is_right = f"FAILED: {error!r}", False
            if keep := os.environ.get("SPOOR_AGENTS_KEEP"):
                subprocess.run(["cp", "-r", place, f"{keep}-{agent.command}-{cell}"], check=True)
        finally:
            stage.close()
        print(f"{agent.title}, {cell}: {said}; {time.monotonic() - start:.0f} s", flush=True)
        return is_right


def main():
    if INSIDE not in os.environ:  # A network without anything: what the agent sends elsewhere goes nowhere.
        os.execvpe("unshare", ["unshare", "--user", "--map-root-user", "--net", sys.executable, *sys.argv],
                   {**os.environ, INSIDE: "1"})
    signal.signal(signal.SIGINT, signal.default_int_handler)  # In a shell's background it is ignored, by agents too.
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    parser = argparse.ArgumentParser(prog="./dev agents")
    parser.add_argument("packages", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("agents", nargs="*", choices=[[], *(agent.command for agent in agents.ALL)])
    parser.add_argument("--only", choices=CELLS)
    parser.add_argument("--page", action="store_true", help="write the table of docs/capture.md")
    options = parser.parse_args()
    if options.page and (options.agents or options.only):
        parser.error("--page takes all cells")
    are_right, rows = True, []
    for agent in agents.ALL:
        if options.agents and agent.command not in options.agents:
            continue
        if not (options.packages / "node_modules/.bin" / agent.command).exists():
            print(f"skipped: no {agent.title} in {options.packages}")
            continue
        for cell in page.cells(agent):
            if options.only in (None, cell):
                are_right = run(agent, cell, options.packages, rows) and are_right
    if not are_right:
        sys.exit("something is not as it should be")
    if options.page:
        page.write(rows)


if __name__ == "__main__":
    main()
