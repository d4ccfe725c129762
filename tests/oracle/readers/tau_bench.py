"""tau-bench: histories of a customer, an agent and its tools.

From https://github.com/sierra-research/tau-bench. A run's results are a list of records with
`traj`, a list of messages of the chat API; a document may hold one record alone. The few-shot files
have the history as text, `messages_display`: `ROLE: text`, a line or more for each message; an answer that only called tools
is `assistant: None`, and its calls are not there.
"""

import json
import re

from model import Branch, Message, Session
from rawjson import read_text, records

from ._chat import turns_of

FORMAT = "tau-bench"
PATHS = ["tau-bench/few_shot_data/*.jsonl"]

_TURN = re.compile(r"^(user|assistant|tool|system): ", re.MULTILINE)


def read(path):
    """Returns a session for each row."""
    text = read_text(path)
    if path.suffix == ".jsonl":
        return [_displayed(value, line) for line, _, value in records(text)]
    document = json.loads(text)
    if isinstance(document, dict):
        return [_run(document, text, [])]
    return [_run(row, text, [index]) for index, row in enumerate(document)]


def _displayed(row, line):
    session = Session(FORMAT, loose=frozenset({"ids", "orphans"}))
    text = row["messages_display"]
    starts = list(_TURN.finditer(text))
    messages = []
    for match, end in zip(starts, [m.start() for m in starts[1:]] + [len(text) + 1]):
        said = text[match.end():end - 1]
        place = f"line {line}, character {match.start()}"
        if match.group(1) == "assistant" and said == "None":
            said = ""
        messages.append(Message(match.group(1), said, place))
    session.branches = [Branch(messages)]
    return session


def _run(row, text, path):
    session = Session(FORMAT)
    messages = []
    for number, record in enumerate(row["traj"]):
        messages += turns_of(record, f"{path}.traj[{number}]", text, path + ["traj", number])
    session.branches = [Branch(messages)]
    return session
