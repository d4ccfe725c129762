"""Cursor's transcripts (agent-transcripts/**/*.jsonl): one message of Anthropic's parts a line.

From the files. Calls have no id; a result follows its call.
"""

from model import Branch, Call, Message, Session
from rawjson import read_text, records, slice_of

from ._chat import name_calls, text_of

FORMAT = "cursor"
PATHS = ["record-type-coverage/**/agents/cursor/**/*.jsonl"]


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT, loose=frozenset({"ids"}))
    messages = []
    for line, text, record in records(read_text(path)):
        place = f"line {line}"
        if "role" not in record:
            session.passed_over(record["type"])
            continue
        said = None
        for index, part in enumerate(record["message"]["content"]):
            kind = part["type"].replace("-", "_")
            if kind == "tool_result":
                # The id is not that of any call: calls have none.
                messages.append(Message("tool", text_of(part["content"]), place))
                continue
            if kind == "thinking":
                messages.append(Message("reasoning", part["thinking"], place))
                continue
            if said is None:
                said = Message(record["role"], "", place)
                messages.append(said)
            if kind in ("tool_use", "tool_call"):
                said.calls.append(Call(None, part["name"], slice_of(
                    text, ["message", "content", index, "input"])))
            elif isinstance(part.get("text"), str):
                said.text += part["text"]
            else:
                session.passed_over(f"part {kind}")
    name_calls(messages)
    session.branches = [Branch(messages)]
    return [session]
