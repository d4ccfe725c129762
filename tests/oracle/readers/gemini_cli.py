"""Gemini CLI's chats: one JSON document, or since 0.40 one record a line.

From the files, and from packages/core/src/services/chatRecordingService.ts of
github.com/google-gemini/gemini-cli. A message of type `gemini` is one answer: its thoughts, its
text, its calls with their results. In the form of lines a message may be written again with more in
it, under the same id; the last one counts. `$set` and `$rewindTo` are about the whole.

A result is in its call, and since 0.61 in a message of the user after it too
(`functionResponse`). When a chat is resumed, `$set.messages` lists all messages in the form of
the API, with further copies of the results (`ID_response`). They are the messages that were
there, by their ids; only the person's text may be another, which takes the place of the old one.
A list without all that was there goes back.
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
    for line in found:
        branch = Branch(suffix=None if session.branches else "")
        results = {}
        for place, slice_, message in line:
            results.update(_responses(place, message))
        for place, slice_, message in line:
            branch.messages += _messages(session, place, slice_, message, results)
        if branch.messages:
            session.branches.append(branch)
    return [session]


def _of_document(session, text, document):
    session.name = document.get("sessionId")
    key = "messages" if "messages" in document else "history"
    return [[(f"{key}[{i}]", slice_of(text, [key, i]), message)
             for i, message in enumerate(document.get(key) or [])]]


def _of_lines(session, text):
    """Returns the lines of the conversation, the main one first."""
    known = {}
    line = []  # ids of the messages that are in force
    left = []  # lines that were gone back from
    for number, slice_, value in records(text):
        if not isinstance(value, dict):
            session.passed_over("not a record")
        elif "$set" in value:
            session.passed_over("$set")
            if isinstance(value["$set"].get("messages"), list):
                left.append(line)
                line = _listed(session, known, f"line {number}", slice_, value["$set"]["messages"])
        elif "$rewindTo" in value:
            session.passed_over("$rewindTo")
            if value["$rewindTo"] in line:
                left.append(line)
                line = line[:line.index(value["$rewindTo"])]
        elif "sessionId" in value and "type" not in value:
            session.passed_over("header")
            session.name = session.name or value["sessionId"]
        else:
            key = value.get("id") or number
            if key in known:
                session.passed_over("written again")
            known[key] = (f"line {number}", slice_, value)
            if key not in line:
                line = line + [key]
    lines = [[key for key in keys if not _is_result(known[key][2])] for keys in [line] + left]
    lines = lines[:1] + [one for i, one in enumerate(lines[1:], 1) if not any(
        one == other[:len(one)] and (len(one) < len(other) or j < i)
        for j, other in enumerate(lines) if j != i)]
    results = [record for record in known.values() if _is_result(record[2])]
    return [[known[key] for key in keys] + (results if keys else []) for keys in lines]


def _listed(session, known, place, text, messages):
    """Returns the ids of a list of messages, and adds to `known` what is new in it."""
    keys = []
    for index, message in enumerate(messages):
        here = f"{place}, messages[{index}]"
        key = message.get("id") or here
        keys.append(key)
        is_new = key not in known
        if is_new or (message.get("type") == "user" and not _is_result(message)
                      and _texts(message.get("content")) != _texts(known[key][2].get("content"))):
            known[key] = (here, slice_of(text, ["$set", "messages", index]), message)
            if not is_new:
                session.passed_over("written again")
    return keys


def _parts(message):
    content = message.get("content", message.get("parts"))
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def _is_result(message):
    """True if a message is nothing but results of calls."""
    parts = _parts(message)
    return bool(parts) and all("functionResponse" in part for part in parts)


def _responses(place, message):
    """Returns {id of a call: its result} of the results that have a message of their own."""
    found = {}
    for part in _parts(message):
        given = part.get("functionResponse")
        if given:
            found[given.get("id")] = _result(place, {
                "id": given.get("id"), "result": [part],
                "status": "error" if "error" in (given.get("response") or {}) else "success"})
    return found


def _messages(session, place, text, message, responses):
    kind = message.get("type") or message.get("role")
    said, pictures = _texts(message.get("content", message.get("parts")))
    if kind in _PROGRAM:
        session.passed_over(kind)
        return []
    if kind == "user":
        return [] if _is_result(message) else [Message("user", said, place, pictures=pictures)]
    if kind not in ("gemini", "model"):
        session.passed_over(f"message/{kind}")
        return []
    messages = []
    has_parts = any(part.get("thought") for part in _parts(message))  # Both forms of one message.
    for thought in [] if has_parts else message.get("thoughts") or []:
        parts = [thought[k] for k in ("subject", "description") if thought.get(k)]
        messages.append(Message("reasoning", place=place, contains=parts))
    answer = Message("assistant", said, place, pictures=pictures)
    results = []
    for index, call in enumerate(message.get("toolCalls") or []):
        arguments = slice_of(text, ["toolCalls", index, "args"]) if "args" in call else "{}"
        answer.calls.append(Call(call.get("id"), call.get("name"), arguments, _edits(call)))
        if call.get("result"):
            results.append(_result(place, call))
        elif call.get("id") in responses:
            results.append(responses[call["id"]])
    for index, part in enumerate(_parts(message)):
        if part.get("thought"):
            messages.append(Message("reasoning", place=place, contains=[part.get("text") or ""]))
            answer.text = answer.text.replace(part.get("text") or "", "", 1)
        call = part.get("functionCall")
        if call and not message.get("toolCalls"):
            key = "content" if "content" in message else "parts"
            answer.calls.append(Call(call.get("id"), call.get("name"), slice_of(
                text, [key, index, "functionCall", "args"]), "any"))
            if call.get("id") in responses:
                results.append(responses[call["id"]])
    if answer.text or answer.calls or pictures:
        messages.append(answer)
    usage = _usage(message.get("tokens"))
    if usage and not messages:  # The model said nothing.
        messages.append(answer)
    if messages:
        messages[-1].usage = usage
    return messages + results


def _result(place, call):
    said = ""
    pictures = []
    parts = call["result"] if isinstance(call["result"], list) else [call["result"]]
    own = [part for part in parts if (part.get("functionResponse") or {}).get("id") == call.get("id")]
    parts = own or parts
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
