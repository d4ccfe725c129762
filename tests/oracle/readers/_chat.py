"""What the formats share that hold messages in the shape of OpenAI's chat API. Not a reader.

Source: https://platform.openai.com/docs/api-reference/chat (messages, tool calls, usage).
"""

import json
import re

from model import Call, Edit, Message, Usage, changed_lines, lines_of
from rawjson import slice_of

_TEXT_TYPES = ("text", "input_text", "output_text")
_TEXT_KEYS = ("text", "value")


def text_of(content):
    """Returns the text of a message's content: a string, a list of parts, or nothing."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        content = [content]
    texts = []
    for part in content:
        if isinstance(part, str):
            texts.append(part)
        elif part.get("type", "text") in _TEXT_TYPES:
            texts += [part[key] for key in _TEXT_KEYS if isinstance(part.get(key), str)][:1]
    return "".join(texts)


def pictures_of(content):
    """Returns the pictures that a content holds as data URLs, in base64."""
    found = []
    for part in content if isinstance(content, list) else []:
        if not isinstance(part, dict) or part.get("type") not in ("image_url", "image"):
            continue
        url = part.get("image_url") or part.get("url") or ""
        url = url.get("url", "") if isinstance(url, dict) else url
        match = re.match(r"data:[^,]*;base64,", url)
        if match:
            found.append(url[match.end():])
    return found


def json_text(value, text, path):
    """Returns a JSON value as the source has it: a string's text, or the exact slice."""
    return value if isinstance(value, str) else slice_of(text, path)


def calls_of(message, text, path):
    """Returns the calls of one chat message; `path` leads to it in `text`."""
    calls = []
    for index, call in enumerate(message.get("tool_calls") or []):
        function = call.get("function") or call
        given = function.get("arguments")
        inner = ["function", "arguments"] if "function" in call else ["arguments"]
        calls.append(Call(call.get("id"), function.get("name"),
                          "" if given is None else
                          json_text(given, text, path + ["tool_calls", index] + inner)))
    old = message.get("function_call")
    if isinstance(old, dict):
        calls.append(Call(None, old.get("name"),
                          json_text(old.get("arguments"), text,
                                    path + ["function_call", "arguments"])))
    return calls


def turns_of(message, place, text, path):
    """Returns the messages of one chat message: its reasoning, then itself."""
    role = message.get("role")
    content = message.get("content")
    turns = []
    if role == "assistant":
        thought = message.get("reasoning_content") or message.get("reasoning")
        if isinstance(thought, str) and thought:
            turns.append(Message("reasoning", thought, place))
        turns.append(Message("assistant", text_of(content), place, calls_of(message, text, path),
                             pictures=pictures_of(content)))
    elif role in ("tool", "function"):
        turns.append(Message("tool", text_of(content), place, call_id=message.get("tool_call_id"),
                             pictures=pictures_of(content)))
    else:
        kind = {"system": "system", "developer": "system", "user": "user"}[role]
        turns.append(Message(kind, text_of(content), place, pictures=pictures_of(content),
                             role="developer" if role == "developer" else None))
    return turns


def usage_of(given):
    """Returns the usage that a chat completion reports; its `prompt_tokens` include caches."""
    if not isinstance(given, dict) or given.get("prompt_tokens") is None:
        return None
    details = given.get("prompt_tokens_details") or {}
    read = given.get("cache_read_input_tokens")
    if read is None:
        read = details.get("cached_tokens")
    written = given.get("cache_creation_input_tokens")
    thought = (given.get("completion_tokens_details") or {}).get("reasoning_tokens")
    return Usage(given["prompt_tokens"] - (read or 0) - (written or 0),
                 given.get("completion_tokens"), read, written, thought, raw=given)


def name_calls(messages):
    """Gives results without an id that of the oldest open call of the answer before."""
    waiting = []
    for number, message in enumerate(messages):
        if message.kind == "assistant":
            waiting = []
        for index, call in enumerate(message.calls):
            if call.id is None:
                call.id = f"call {number}.{index}"
            waiting.append(call.id)
        if message.kind == "tool":
            if message.call_id is None and waiting:
                message.call_id = waiting[0]
            if message.call_id in waiting:
                waiting.remove(message.call_id)


def edits_of(call):
    """Returns the edits that a call of OpenHands' `str_replace_editor` makes, by its arguments."""
    try:
        given = json.loads(call.arguments)
    except ValueError:
        return None
    path, command = given.get("path"), given.get("command")
    if command == "create":
        return [Edit(path, lines_of(given["file_text"]), 0)]
    if command == "str_replace":
        return [Edit(path, *changed_lines(given["old_str"], given.get("new_str") or ""))]
    if command == "insert":
        return [Edit(path, lines_of(given["new_str"]), 0)]
    return None if command == "view" else [Edit(path, None, None)]


def loads(path):
    """Returns the text of a file and its JSON value."""
    from rawjson import read_text
    text = read_text(path)
    return text, json.loads(text)
