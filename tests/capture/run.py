"""Real agents, recorded: each from npm, in a network of its own that has nothing but the loopback device, with a provider
that is none. Each witness alone records the session of scenario.py.

`./dev agents [AGENT...] [--only WITNESS]` installs the agents and runs this; one that is not there is named as skipped.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import agents
import opencode_sessions
from checks import Record
from stage import PROGRAM, Stage, check

INSIDE = "SPOOR_AGENTS_INSIDE"


def proxy(stage):
    """`spoor with` alone."""
    for said in stage.play([PROGRAM, "with", stage.agent.command, "--"]):
        said = said.splitlines()[-1]
        check(re.match(rf"spoor: recorded {stage.agent.name}/\S+: \d+ requests?, ", said), said)
    record = Record(stage)
    record.check_requests()
    return record.summary()


def watch(stage):
    """The hooks of `spoor enable`, and the `spoor watch` that they start."""
    if stage.agent.has_hooks:
        stage.spoor("enable", stage.agent.command, "--yes")
    else:
        stage.spoor("watch", "--background")
    stage.play([stage.agent.command])
    time.sleep(2)
    stage.spoor("watch", "--stop")
    return Record(stage).summary()


def telemetry(stage):
    """`spoor receive` alone."""
    receiver = stage.start("receive", "--listen", "127.0.0.1:0")
    stage.places |= {"{receiver}": receiver.stdout.readline().strip(), "{coding}": "json"}
    stage.configure(stage.agent.telemetry, stage.agent.telemetry_files)
    stage.play([stage.agent.command])
    receiver.terminate()
    said = receiver.communicate(timeout=60)[1].splitlines()[-1]
    return f"{Record(stage).summary()}; {said.removeprefix('spoor: ')}"


def database(stage):
    """OpenCode's database, of sessions that go other ways."""
    home = stage.home / "other"
    return opencode_sessions.check(PROGRAM, stage.agent.command, home, {**stage.environment, "HOME": str(home)})


WITNESSES = {"proxy": proxy, "watch": watch, "telemetry": telemetry, "database": database}


def run(agent, witness, packages):
    """Returns whether it is as it should be."""
    with tempfile.TemporaryDirectory() as place:
        start = time.monotonic()
        stage = Stage(agent, packages, pathlib.Path(place))
        try:
            said, is_right = WITNESSES[witness](stage), True
        except Exception as error:
            said, is_right = f"FAILED: {error!r}", False
            if keep := os.environ.get("SPOOR_AGENTS_KEEP"):
                subprocess.run(["cp", "-r", place, f"{keep}-{agent.command}-{witness}"], check=True)
        finally:
            stage.close()
        print(f"{agent.title}, {witness}: {said}; {time.monotonic() - start:.0f} s", flush=True)
        return is_right


def main():
    if INSIDE not in os.environ:  # A network without anything: what the agent sends elsewhere goes nowhere.
        os.execvpe("unshare", ["unshare", "--user", "--map-root-user", "--net", sys.executable, *sys.argv],
                   {**os.environ, INSIDE: "1"})
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    parser = argparse.ArgumentParser(prog="./dev agents")
    parser.add_argument("packages", type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("agents", nargs="*", choices=[[], *(agent.command for agent in agents.ALL)])
    parser.add_argument("--only", choices=WITNESSES)
    options = parser.parse_args()
    are_right = True
    for agent in agents.ALL:
        if options.agents and agent.command not in options.agents:
            continue
        if not (options.packages / "node_modules/.bin" / agent.command).exists():
            print(f"skipped: no {agent.title} in {options.packages}")
            continue
        for witness in agent.witnesses:
            are_right = options.only not in (None, witness) or run(agent, witness, options.packages) and are_right
    sys.exit(0 if are_right else "something is not as it should be")


if __name__ == "__main__":
    main()
