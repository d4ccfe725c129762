"""Sessions of Cline's SDK: one document with `messages` in the shape of Anthropic's Messages API.

From the files, and https://github.com/cline/cline (sdk/packages/core). A message has its model in
`modelInfo` and its tokens in `metrics`, whose `inputTokens` include those read from a cache. A part
`file` is a file that the person named; a result's content may be any JSON.
"""

import json

from model import Branch, Call, Edit, Message, Session, Usage, changed_lines
from rawjson import read_text, slice_of

FORMAT = "cline"
PATHS = ["cline-session/sdk/packages/core/fixtures/session/*.messages.json",
         "cline-session/sdk/packages/core/fixtures/session/*.compaction.json"]


def read(path):
    """Returns the session of one file."""
    text = read_text(path)
    document = json.loads(text)
    session = Session(FORMAT, document.get("sessionId"))
    messages = []
    if document.get("system_prompt"):
        messages.append(Message("system", document["system_prompt"], "system_prompt"))
    call_of = {}
    for index, record in enumerate(document["messages"]):
        place = f"messages[{index}]"
        content = record["content"]
        parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
        said = Message(record["role"], "", place)
        results = []
        for number, part in enumerate(parts):
            inner = ["messages", index, "content", number]
            kind = part["type"]
            if kind == "text":
                said.text += part["text"]
            elif kind == "file":
                said.text += part["content"]
            elif kind == "thinking":
                signature = part.get("signature")
                messages.append(Message("reasoning", part["thinking"], place,
                                        signatures=[signature] if signature else []))
            elif kind == "tool_use":
                call = Call(part["id"], part["name"], slice_of(text, inner + ["input"]))
                call_of[call.id] = (call, part["input"])
                said.calls.append(call)
            elif kind == "tool_result":
                results.append(_result(part, place, text, inner, call_of))
            else:
                session.passed_over(f"part {kind}")
        messages += results
        if said.text or said.calls or not results:
            said.usage = _usage(record.get("metrics"))
            messages.append(said)
    session.branches = [Branch(messages)]
    return [session]


def _result(part, place, text, path, call_of):
    content = part.get("content")
    if isinstance(content, list) and not all(
            isinstance(p, dict) and p.get("type") == "text" for p in content):
        said = slice_of(text, path + ["content"])
    elif isinstance(content, list):
        said = "".join(p["text"] for p in content)
    else:
        said = content or ""
    call, given = call_of.get(part["tool_use_id"], (None, None))
    failed = bool(part.get("is_error"))
    if call is not None and isinstance(given.get("old_text"), str):
        done = failed or '"success":false' in said
        call.edits = [] if done else [
            Edit(given["path"], *changed_lines(given["old_text"], given.get("new_text") or ""))]
    return Message("tool", said, place, call_id=part["tool_use_id"], is_error=failed)


def _usage(metrics):
    if not metrics:
        return None
    read, written = metrics.get("cacheReadTokens"), metrics.get("cacheWriteTokens")
    return Usage(metrics["inputTokens"] - (read or 0), metrics["outputTokens"], read, written)
