"""Gemini CLI's chats: one JSON document, or since 0.40 one record a line.

From the files, and from packages/core/src/services/chatRecordingService.ts of
github.com/google-gemini/gemini-cli. A message of type `gemini` is one answer: its thoughts, its
text, its calls with their results. In the form of lines a message may be written again with more in
it, under the same id; the last one counts. `$set` and `$rewindTo` are about the whole.
"""

import json

from model import Branch, Call, Edit, Message, Session, Usage, lines_of
from rawjson import read_text, records, slice_of

FORMAT = "gemini-cli"
PATHS = ["gemini-cli-entire/*/*.jsonl", "record-type-coverage/**/agents/gemini/*.json*"]

_PROGRAM = ("info", "warning", "error")


def read(path):
    """Returns the session of one file."""
    session = Session(FORMAT)
    text = read_text(path)
    try:
        document = json.loads(text)
    except ValueError:
        document = None
    found = (_of_document(session, text, document) if isinstance(document, dict)
             and not document.get("id") else _of_lines(session, text))
    branch = Branch(suffix="")
    for place, slice_, message in found:
        branch.messages += _messages(session, place, slice_, message)
    if branch.messages:
        session.branches.append(branch)
    return [session]


def _of_document(session, text, document):
    session.name = document.get("sessionId")
    key = "messages" if "messages" in document else "history"
    return [(f"{key}[{i}]", slice_of(text, [key, i]), message)
            for i, message in enumerate(document.get(key) or [])]


def _of_lines(session, text):
    found = {}
    for line, slice_, value in records(text):
        if not isinstance(value, dict):
            session.passed_over("not a record")
        elif "$set" in value:
            session.passed_over("$set")
        elif "$rewindTo" in value:
            session.passed_over("$rewindTo")
            keys = list(found)
            for key in keys[keys.index(value["$rewindTo"]):] if value["$rewindTo"] in keys else []:
                del found[key]
        elif "sessionId" in value and "type" not in value:
            session.passed_over("header")
            session.name = session.name or value["sessionId"]
        else:
            key = value.get("id") or line
            if key in found:
                session.passed_over("written again")
            found[key] = (f"line {line}", slice_, value)
    return list(found.values())


def _messages(session, place, text, message):
    kind = message.get("type") or message.get("role")
    said, pictures = _texts(message.get("content", message.get("parts")))
    if kind in _PROGRAM:
        session.passed_over(kind)
        return []
    if kind == "user":
        return [Message("user", said, place, pictures=pictures)]
    if kind not in ("gemini", "model"):
        session.passed_over(f"message/{kind}")
        return []
    messages = []
    for thought in message.get("thoughts") or []:
        parts = [thought[k] for k in ("subject", "description") if thought.get(k)]
        messages.append(Message("reasoning", place=place, contains=parts))
    answer = Message("assistant", said, place, pictures=pictures)
    results = []
    for index, call in enumerate(message.get("toolCalls") or []):
        arguments = slice_of(text, ["toolCalls", index, "args"]) if "args" in call else "{}"
        answer.calls.append(Call(call.get("id"), call.get("name"), arguments, _edits(call)))
        if call.get("result"):
            results.append(_result(place, call))
    if said or answer.calls or pictures:
        messages.append(answer)
    if messages:
        messages[-1].usage = _usage(message.get("tokens"))
    return messages + results


def _result(place, call):
    said = ""
    pictures = []
    parts = call["result"] if isinstance(call["result"], list) else [call["result"]]
    for part in parts:
        response = (part.get("functionResponse") or {}).get("response") or {}
        said += response.get("output") or response.get("error") or part.get("text") or ""
        if part.get("inlineData"):
            pictures.append(part["inlineData"]["data"])
    return Message("tool", said, place, call_id=call.get("id"), pictures=pictures,
                   is_error=call.get("status") == "error")


def _texts(content):
    if isinstance(content, str):
        return content, []
    parts = content if isinstance(content, list) else [content or {}]
    return ("".join(p if isinstance(p, str) else p.get("text") or "" for p in parts),
            [p["inlineData"]["data"] for p in parts
             if isinstance(p, dict) and p.get("inlineData")])


def _usage(tokens):
    if not tokens:
        return None
    cached, thoughts = tokens.get("cached") or 0, tokens.get("thoughts") or 0
    return Usage(tokens["input"] - cached, tokens["output"] + thoughts, cached, None, thoughts, raw=tokens)


def _edits(call):
    if call.get("name") not in ("write_file", "replace"):
        return None
    if call.get("status") != "success":
        return []
    given = call.get("args") or {}
    shown = call.get("resultDisplay")
    if isinstance(shown, dict) and shown.get("diffStat"):
        stat = shown["diffStat"]
        return [Edit(given.get("file_path"),
                     stat["model_added_lines"] + stat["user_added_lines"],
                     stat["model_removed_lines"] + stat["user_removed_lines"])]
    if call["name"] == "write_file":
        output = json.dumps(call.get("result") or "")
        is_new = "created and wrote to new file" in output
        return [Edit(given.get("file_path"), lines_of(given.get("content") or ""),
                     0 if is_new else None)]
    return [Edit(given.get("file_path"), None, None)]
