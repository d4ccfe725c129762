"""OpenAI's Responses API: requests with responses, bare lists of items, logs of either.

From https://platform.openai.com/docs/api-reference/responses. `input` is a text or a list of items;
`instructions` stand before them; `output` are the items of one answer. A reasoning item has a
summary and encrypted content.
"""

import json

from model import Branch, Call, Message, Session, Usage
from rawjson import read_text, records

from ._chat import text_of

FORMAT = "openai-responses"
PATHS = []


def read(path):
    """Returns the session of one file."""
    text = read_text(path)
    if path.suffix == ".jsonl":
        rows = [value for _, _, value in records(text)]
        if not any("input" in row or "output" in row or "request" in row for row in rows):
            return [_session(rows)]
        return [_session(row) for row in rows]
    return [_session(json.loads(text))]


def _session(document):
    session = Session(FORMAT)
    if isinstance(document, list):
        document = {"input": document}
    request = document.get("request") or document
    response = document.get("response") or (document if "output" in document else {})
    messages = []
    instructions = request.get("instructions") or response.get("instructions")
    if instructions:
        messages.append(Message("system", instructions, "instructions"))
    given = request.get("input") or []
    if isinstance(given, str):
        given = [{"type": "message", "role": "user", "content": given}]
    answer = None
    for where, items in (("input", given), ("output", response.get("output") or [])):
        for index, item in enumerate(items):
            answer = _add(item, f"{where}[{index}]", messages, answer, session)
    usage = response.get("usage")
    if usage and messages:
        cached = (usage.get("input_tokens_details") or {}).get("cached_tokens")
        messages[-1].usage = Usage(
            usage["input_tokens"] - (cached or 0), usage["output_tokens"], cached, None,
            (usage.get("output_tokens_details") or {}).get("reasoning_tokens"))
    session.branches = [Branch(messages)]
    return session


def _add(item, place, messages, answer, session):
    """Adds one item; returns the answer that a next item of the model would belong to."""
    kind = item.get("type", "message")
    if kind == "reasoning":
        opaque = item.get("encrypted_content")
        text = "".join(p["text"] for p in item.get("summary") or item.get("content") or [])
        messages.append(Message("reasoning", text, place, signatures=[opaque] if opaque else []))
        return answer
    if kind == "function_call_output":
        messages.append(Message("tool", text_of(item["output"]), place, call_id=item["call_id"]))
        return None
    if kind == "message" and item["role"] != "assistant":
        kind = {"developer": "system"}.get(item["role"], item["role"])
        messages.append(Message(kind, text_of(item["content"]), place,
                                role="developer" if item["role"] == "developer" else None))
        return None
    if answer is None:
        answer = Message("assistant", "", place)
        messages.append(answer)
    if kind == "message":
        answer.text += text_of(item["content"])
    elif kind == "function_call":
        answer.calls.append(Call(item["call_id"], item["name"], item["arguments"]))
    else:
        session.passed_over(f"item {kind}")
    return answer
