"""Grok CLI's history (chat_history.jsonl): one message or reasoning item a line.

From the files. A reasoning item is one of the Responses API. `backend_tool_call` is a call that the
provider made and answered itself; no record has its result.
"""

from model import Branch, Call, Message, Session
from rawjson import read_text, records

from ._chat import json_text, text_of

FORMAT = "grok"
PATHS = ["record-type-coverage/**/agents/grok/**/chat_history.jsonl"]


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    messages = []
    made = []  # what the provider's own calls of this answer are called by
    for line, text, record in records(read_text(path)):
        place = f"line {line}"
        kind = record["type"]
        if kind == "reasoning":
            said = "".join(part["text"] for part in record["summary"])
            messages.append(Message("reasoning", said, place,
                                    signatures=[record["encrypted_content"]]))
        elif kind == "assistant":
            answer = Message("assistant", text_of(record["content"]), place)
            for index, call in enumerate(record.get("tool_calls") or []):
                answer.calls.append(Call(call["id"], call["name"], json_text(
                    call["arguments"], text, ["tool_calls", index, "arguments"])))
            answer.signatures, made = made, []
            messages.append(answer)
        elif kind == "tool_result":
            messages.append(Message("tool", text_of(record["content"]), place,
                                    call_id=record["tool_call_id"]))
        elif kind == "backend_tool_call":
            session.passed_over(kind)
            made.append(record["kind"]["id"])
        elif kind in ("system", "user"):
            messages.append(Message(kind, text_of(record["content"]), place))
        else:
            session.passed_over(kind)
    session.branches = [Branch(messages)]
    return [session]
