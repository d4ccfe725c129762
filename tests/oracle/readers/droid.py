"""Droid (Factory): stored sessions, and what `droid exec --output-format stream-json` prints.

From the files, and https://docs.factory.ai/cli/droid-exec/overview. Stored sessions have messages
of Anthropic's parts. A stream has messages, calls, results, and a `completion` with the last
words.
"""

from model import Branch, Call, Message, Session
from rawjson import read_text, records, slice_of

from ._chat import text_of

FORMAT = "droid"
PATHS = ["record-type-coverage/**/agents/droid/*.jsonl"]


def read(path):
    """Returns the session of one file."""
    rows = list(records(read_text(path)))
    session = Session(FORMAT)
    if rows[0][2]["type"] == "session_start":
        messages = _stored(rows, session)
    else:
        session.answers_have_ids = False
        messages = _stream(rows, session)
    session.branches = [Branch(messages)]
    return [session]


def _stored(rows, session):
    messages = []
    for line, text, record in rows:
        place = f"line {line}"
        if record["type"] == "session_start":
            session.name = record["id"]
        elif record["type"] == "message":
            content = record["message"]["content"]
            parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
            said = None
            for index, part in enumerate(parts):
                if part["type"] == "tool_result":
                    messages.append(Message("tool", text_of(part["content"]), place,
                                            call_id=part["tool_use_id"],
                                            is_error=bool(part.get("is_error"))))
                    continue
                if part["type"] == "thinking":
                    signature = part.get("signature")
                    messages.append(Message("reasoning", part["thinking"], place,
                                            signatures=[signature] if signature else []))
                    continue
                if said is None:
                    said = Message(record["message"]["role"], "", place)
                    messages.append(said)
                if part["type"] == "tool_use":
                    said.calls.append(Call(part["id"], part["name"], slice_of(
                        text, ["message", "content", index, "input"])))
                elif part["type"] == "text":
                    said.text += part["text"]
                else:
                    session.passed_over(f"part {part['type']}")
        else:
            session.passed_over(record["type"])
    return messages


def _stream(rows, session):
    messages = []
    for line, text, record in rows:
        place = f"line {line}"
        kind = record["type"]
        session.name = session.name or record.get("session_id") or record.get("sessionId")
        call_id = record.get("toolCallId") or record.get("id")
        if kind == "message":
            messages.append(Message(record["role"], record["text"], place))
        elif kind == "tool_call":
            # A call goes with the words before it.
            if not (messages and messages[-1].kind == "assistant"):
                messages.append(Message("assistant", "", place))
            messages[-1].calls.append(Call(call_id, record["toolName"],
                                           slice_of(text, ["parameters"])))
        elif kind == "tool_result":
            value = record["value"]
            said = value if isinstance(value, str) else slice_of(text, ["value"])
            code = value.get("exitCode") if isinstance(value, dict) else None
            messages.append(Message("tool", said, place, call_id=call_id, exit_code=code,
                                    is_error=bool(record.get("isError"))))
        elif kind == "completion":
            messages.append(Message("assistant", record["finalText"], place))
        else:
            session.passed_over(kind)
    return messages
