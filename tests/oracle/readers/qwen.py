"""Qwen Code's chats: JSON Lines, records in a tree of `parentUuid`, messages of Gemini's parts.

From the files, and https://github.com/QwenLM/qwen-code. Records with one uuid are one answer, piece
by piece. A record `rewind` leads the tree back to an earlier record.
"""

from model import Branch, Call, Message, Session, Usage
from rawjson import read_text, records, slice_of

FORMAT = "qwen-code"
PATHS = ["record-type-coverage/**/agents/qwen/*.jsonl"]

_TURNS = ("user", "assistant", "tool_result")


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    nodes = {}  # uuid → [messages, parent uuid]; the order is the file's
    for line, text, record in records(read_text(path)):
        if record is None:
            session.passed_over("not a record")
            continue
        if session.name is None:
            session.name = record.get("sessionId")
        key = record["uuid"] if record["uuid"] != record.get("parentUuid") else f"line {line}"
        node = nodes.setdefault(key, [[], record.get("parentUuid")])
        if key != record["uuid"]:
            # A trimmed record that names itself: it follows the one before it.
            before = list(nodes)
            node[1] = before[-2] if len(before) > 1 else None
        if record["type"] in _TURNS:
            node[0] += _messages(record, text, f"line {line}")
        else:
            session.passed_over(record.get("subtype") or record["type"])
    parents = {parent for _, parent in nodes.values()}
    leaves = [uuid for uuid in nodes if uuid not in parents]
    for leaf in leaves:
        messages = _line(nodes, leaf)
        if messages and not any(_is_front(messages, _line(nodes, other))
                                for other in leaves if other != leaf):
            session.branches.append(Branch(messages))
    return [session]


def _line(nodes, uuid):
    line = []
    while uuid in nodes:
        said, uuid = nodes[uuid]
        line = said + line
    return line


def _is_front(messages, longer):
    return len(longer) > len(messages) and all(a is b for a, b in zip(messages, longer))


def _messages(record, text, place):
    parts = (record.get("message") or {}).get("parts") or []
    messages = []
    said = None
    for index, part in enumerate(parts):
        path = ["message", "parts", index]
        if "functionResponse" in part:
            messages.append(_result(part["functionResponse"], record, text, place,
                                    path + ["functionResponse", "response"]))
            continue
        if part.get("thought"):
            signature = part.get("thoughtSignature")
            messages.append(Message("reasoning", part["text"], place,
                                    signatures=[signature] if signature else []))
            continue
        if said is None:
            said = Message("assistant" if record["type"] == "assistant" else "user", "", place)
            messages.append(said)
        if "functionCall" in part:
            call = part["functionCall"]
            said.calls.append(Call(call.get("id"), call["name"],
                                   slice_of(text, path + ["functionCall", "args"])))
            if part.get("thoughtSignature"):
                said.signatures.append(part["thoughtSignature"])
        else:
            said.text += part.get("text") or ""
    given = record.get("usageMetadata")
    if messages and given and record["type"] == "assistant":
        cached = given.get("cachedContentTokenCount")
        thought = given.get("thoughtsTokenCount")
        messages[-1].usage = Usage(given["promptTokenCount"] - (cached or 0),
                                   given["candidatesTokenCount"] + (thought or 0), cached, None,
                                   thought)
    return messages


def _result(given, record, text, place, path):
    response = given.get("response")
    status = (record.get("toolCallResult") or {}).get("status")
    is_error = "error" in response or status == "error"
    said = response.get("output", response.get("error"))
    if not isinstance(said, str):
        said = slice_of(text, path)
    return Message("tool", said, place, call_id=given.get("id"), is_error=is_error)
