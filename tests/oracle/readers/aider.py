"""Aider's chat histories (.aider.chat.history.md): markdown that grows.

From the files, and https://github.com/Aider-AI/aider (aider/io.py writes them, aider/utils.py
`split_chat_history_markdown` reads them). `# aider chat started at` begins a session; `#### ` is
a line of the person, `> ` one of the program; both end with two spaces, which tells them from
headings and quotes of the model, whose all else is. What the program says in several lines has
the mark on its first and the spaces on its last. The first thing that it says is its command
line, in which the message of `--message` may go on over blank lines and such that end with two
spaces: it ends before the next line with the mark. A copy of a history may have lost the spaces
at the ends of lines. Published transcripts have no header: their front matter, prose before the
first line of the program and tags `<div>` are the page's.
"""

import re

from model import Branch, Message, Session, Usage
from rawjson import read_text

FORMAT = "aider"
PATHS = ["aider-afi-core/*.aider.chat.history.md", "aider-monochromatic/*.aider.chat.history.md",
         "aider-examples/aider/website/examples/*.md"]

_HEADER = "# aider chat started at "
_TAG = re.compile(r"</?div[^>]*>\s*")
# What a model thought, between marks of aider's.
_THOUGHT = re.compile(r"<(thinking-content-[0-9a-f]+)>(.*?)</\1>", re.DOTALL)
# What the program asked, and answered itself by what the person said before; no model saw it.
_ASKED = re.compile(r".*\? \(Y\)es/\(N\)o.*\[(?:Yes|No)\]: .*")


def read(path):
    """Returns a session for each header; one without a message is none."""
    text = read_text(path)
    lines = text.split("\n")
    if _HEADER not in text:
        return [s for s in [_session(lines, _page_front(lines), None, True)] if s]
    sessions = []
    starts = [i for i, line in enumerate(lines) if line.startswith(_HEADER)]
    for start, end in zip(starts, starts[1:] + [len(lines)]):
        session = _session(lines[:end], start + 1, lines[start][len(_HEADER):].strip(), False)
        if session:
            sessions.append(session)
    return sessions


def _page_front(lines):
    return next(i for i, line in enumerate(lines) if line.startswith(("> ", "#### ")))


def _end_of_first(lines, start):
    """Returns the last line of a command line that begins at `start`."""
    ends = [n for n in range(start, len(lines)) if lines[n].endswith("  ")]
    followed = [n for n in ends if lines[n + 1:n + 2] and lines[n + 1].startswith("> ")]
    return (followed or ends or [start])[0]


def _session(lines, start, name, is_page):
    session = Session("aider")
    messages = []
    kind, said, began = None, [], start
    is_outside = False  # between two parts of a page
    is_open = False  # the program has not ended its message
    is_first = not is_page  # nothing was printed yet but the header
    end_of_first = None  # the last line of a command line of several lines
    has_spaces = any(line.startswith("#### ") and line.endswith("  ") for line in lines)

    def end():
        if kind == "user":
            text = "\n".join(said)
            if all(_ASKED.match(line) for line in said):
                session.passed_over("question that the program answered itself")
            elif text.strip():
                messages.append(Message("user", text, f"line {began + 1}"))
        elif kind == "assistant":
            text = "\n".join(said)
            for thought in _THOUGHT.findall(text):
                messages.append(Message("reasoning", thought[1].strip(), f"line {began + 1}"))
            text = _THOUGHT.sub("", text).strip("\n")
            if text.strip():
                messages.append(Message("assistant", text, f"line {began + 1}"))
        elif kind == "tool":
            if messages and any(line.startswith("> Tokens: ") for line in said):
                # The counts are rounded (`3.2k sent`): nothing is demanded of them.
                messages[-1].usage = messages[-1].usage or Usage()
            session.passed["line of the program"] = (
                session.passed.get("line of the program", 0) + len(said))

    for number in range(start, len(lines)):
        line = lines[number]
        if is_page and _TAG.fullmatch(line + "\n"):
            end()
            kind, said = None, []
            is_outside = line.startswith("</")
            continue
        if is_outside:
            continue
        # A page may have lost the spaces at the ends of lines.
        marked = line.endswith("  ") or is_page or not has_spaces
        if is_first and line.startswith("> ") and not marked:
            end_of_first = _end_of_first(lines, number)
            is_first = False
        if end_of_first is not None and number <= end_of_first:
            found = "tool"
        elif is_open:
            found, is_open = "tool", not marked
        elif line.startswith("#### ") and marked:
            found, line = "user", line[5:].removesuffix("  ") if line[5:].strip() else ""
        elif line.startswith(">") and line[:2] in ("> ", ">") and (marked or kind == "tool"):
            found, is_open = "tool", not marked
        elif kind == "tool" and line.strip() and not is_page:
            # No blank line before it: words of the program, or a command that it shows.
            found = "tool"
        else:
            found = "assistant"
        is_first = is_first and not line.strip()
        if found != kind:
            end()
            kind, said, began = found, [], number
        said.append(line)
    end()
    session.branches = [Branch(messages)]
    return session if messages else None
