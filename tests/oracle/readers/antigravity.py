"""Antigravity's transcripts (transcript.jsonl): one step a line.

From the files. A PLANNER_RESPONSE is an answer: thinking, words, calls without ids. Steps of the
model that follow are what its calls gave. Steps of SYSTEM are the program's.
"""

from model import Branch, Call, Message, Session
from rawjson import read_text, records, slice_of

FORMAT = "antigravity"
PATHS = ["record-type-coverage/**/agents/antigravity/*.jsonl"]


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT, loose=frozenset({"ids", "orphans"}))
    messages = []
    waiting = []
    for line, text, step in records(read_text(path)):
        place = f"line {line}"
        kind = step["type"]
        said = step.get("content") or ""
        if kind == "USER_INPUT":
            messages.append(Message("user", said, place))
        elif kind == "PLANNER_RESPONSE":
            if step.get("thinking"):
                messages.append(Message("reasoning", step["thinking"], place))
            answer = Message("assistant", said, place)
            for index, call in enumerate(step.get("tool_calls") or []):
                answer.calls.append(Call(f"call {line}.{index}", call["name"],
                                         slice_of(text, ["tool_calls", index, "args"])))
            waiting = [call.id for call in answer.calls]
            if answer.text or answer.calls:
                messages.append(answer)
        elif kind == "CHECKPOINT":
            messages.append(Message("summary", said, place))
        elif kind == "SYSTEM_MESSAGE":
            messages.append(Message("user", said, place))
        elif step["source"] == "SYSTEM" or not said:
            session.passed_over(kind)
        else:
            messages.append(Message("tool", said, place,
                                    call_id=waiting.pop(0) if waiting else None))
    session.branches = [Branch(messages)]
    return [session]
