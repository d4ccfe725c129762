"""The table of docs/capture.md: agent, witness, and what it gives. `./dev agents --page` writes it."""
import json
import pathlib
import re

import agents

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/capture.md"
BEGIN, END = "<!-- begin: ./dev agents --page -->\n", "<!-- end -->\n"
HEAD = ("agent", "witness", "requests as sent", "turns, each once", "system prompt", "tools", "thoughts", "usage", "events")
WITNESSES = ("proxy", "watch", "telemetry", "all")
ROW = re.compile(r"\| [A-Z][\w ]+ \d[\d.]* \| (proxy|watch|telemetry|all) \| (\d+) of (\d+) \| \d+ \| (yes|no) \| \d+ "
                 r"\| (text|summary|opaque|none) \| (reported|partial|estimated|unknown) \| (none|\d+, \d+ about turns) \|")


def cells(agent):
    """The names of an agent's cells: its witnesses, and what only this agent has."""
    own = {agents.CLAUDE_CODE: ("bodies", "readme"), agents.OPENCODE: ("database",)}
    return [name for name in WITNESSES if name != "telemetry" or agent.events] + list(own.get(agent, ()))


def name_of(agent, packages):
    package = packages / "node_modules" / agent.package / "package.json"
    return f"{agent.title} {json.loads(package.read_text())['version']}"


def line(values):
    return "| " + " | ".join(map(str, values)) + " |"


def parts():
    """What is before, within and after the marks."""
    text = PAGE.read_text(encoding="utf-8")
    start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
    return text[:start], text[start:end], text[end:]


def write(rows):
    before, _, after = parts()
    lines = [line(HEAD), "|" + "---|" * len(HEAD), *map(line, rows)]
    PAGE.write_text(before + "\n".join(lines) + "\n" + after, encoding="utf-8")
