"""Qwen Code's chats: JSON Lines, records in a tree of `parentUuid`, messages of Gemini's parts.

From the files, and https://github.com/QwenLM/qwen-code. Records with one uuid are one answer,
piece by piece. A record `rewind` leads the tree back to an earlier record. A picture in a record
of a result is the result's. A `chat_compression` with a `compressedHistory`
(packages/core/src/services/ sessionService.ts) puts that in the place of all before it; one
without changed nothing.
"""

import json

from model import Branch, Call, Edit, Message, Session, Usage
from rawjson import read_text, records, slice_of

FORMAT = "qwen-code"
PATHS = ["record-type-coverage/**/agents/qwen/*.jsonl"]

_TURNS = ("user", "assistant", "tool_result")


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    nodes = {}  # uuid → [messages, parent uuid]; the order is the file's
    ended = {}  # id of a call → what its record says of how it ended
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
            ended.update({(record.get("toolCallResult") or {}).get("callId"):
                          record.get("toolCallResult")})
            node[0] += _messages(record, text, f"line {line}")
        elif (record.get("systemPayload") or {}).get("compressedHistory"):
            node[0] += _compressed(record, text, f"line {line}")
        else:
            session.passed_over(record.get("subtype") or record["type"])
    for said, _ in nodes.values():
        for message in said:
            for call in message.calls:
                call.edits = _edits(call, ended.get(call.id))
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
    messages = _said(parts, record["type"] == "assistant", text, ["message", "parts"], place)
    if (record.get("toolCallResult") or {}).get("status") == "error":
        for message in messages:
            message.is_error = True if message.kind == "tool" else None
    given = record.get("usageMetadata")
    if given and record["type"] == "assistant":
        if not messages:  # The model said nothing.
            messages.append(Message("assistant", place=place))
        cached = given.get("cachedContentTokenCount")
        thought = given.get("thoughtsTokenCount")
        messages[-1].usage = Usage(given["promptTokenCount"] - (cached or 0),
                                   given["candidatesTokenCount"] + (thought or 0), cached, None,
                                   thought)
    return messages


def _compressed(record, text, place):
    """Returns the summary, which is the first content, and the others."""
    messages = []
    for index, content in enumerate(record["systemPayload"]["compressedHistory"]):
        messages += _said(content["parts"], content["role"] == "model", text,
                          ["systemPayload", "compressedHistory", index, "parts"],
                          f"{place}, compressedHistory[{index}]")
    messages[0].kind = "compaction"
    return messages


def _said(parts, is_answer, text, path, place):
    """Returns the messages of the parts of a content, which is at `path` of its record."""
    messages = []
    said = None
    for index, part in enumerate(parts):
        at = path + [index]
        if "functionResponse" in part:
            messages.append(_result(part["functionResponse"], text, place,
                                    at + ["functionResponse", "response"]))
            continue
        if "inlineData" in part and messages and messages[-1].kind == "tool":
            messages[-1].pictures.append(part["inlineData"]["data"])
            continue
        if part.get("thought"):
            signature = part.get("thoughtSignature")
            messages.append(Message("reasoning", part["text"], place,
                                    signatures=[signature] if signature else []))
            continue
        if said is None:
            said = Message("assistant" if is_answer else "user", "", place)
            messages.append(said)
        if "functionCall" in part:
            call = part["functionCall"]
            said.calls.append(Call(call.get("id"), call["name"],
                                   slice_of(text, at + ["functionCall", "args"])))
            if part.get("thoughtSignature"):
                said.signatures.append(part["thoughtSignature"])
        elif "inlineData" in part:
            said.pictures.append(part["inlineData"]["data"])
        else:
            said.text += part.get("text") or ""
    return messages


def _edits(call, ended):
    if call.name not in ("write_file", "edit"):
        return None
    if not ended or ended.get("status") != "success":
        return [] if ended else "any"
    shown = ended.get("resultDisplay")
    stat = shown.get("diffStat") if isinstance(shown, dict) else None
    if not stat:
        return "any"
    return [Edit(json.loads(call.arguments).get("file_path"),
                 stat["model_added_lines"] + stat.get("user_added_lines", 0),
                 stat["model_removed_lines"] + stat.get("user_removed_lines", 0))]


def _result(given, text, place, path):
    response = given.get("response")
    said = response.get("output", response.get("error"))
    if not isinstance(said, str):
        said = slice_of(text, path)
    return Message("tool", said, place, call_id=given.get("id"), is_error="error" in response)
