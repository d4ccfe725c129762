"""Messages in the shape of OpenAI's chat API: bare lists, logs of requests, rows of data sets.

From the files, and https://platform.openai.com/docs/api-reference/chat. A log has the request's
`messages` and the `response`; each next log of a conversation has the messages of the one before
and what was new, so a folder of them is one conversation. Rows of data sets name the list
`messages` or `conversations`; a row with `chosen_messages` and `rejected_messages` has two ends of
one beginning. LLaMA-Factory's parts have `value` instead of `text`, and types `reasoning` and
`tool_call` (https://github.com/hiyouga/LLaMA-Factory/blob/main/data/README.md).
"""

import json
import re

from model import Branch, Call, Message, Session
from rawjson import read_text, records, slice_of

from ._chat import edits_of, json_text, name_calls, turns_of, usage_of
from ._functions import block_of, call_of, result_of

FORMAT = "openai-chat"
PATHS = ["openhands-sdk-llm-logs/tests/fixtures/llm_data/*.json",
         "openhands-sdk-llm-logs/tests/fixtures/llm_data/*llm-logs/*.json",
         "openhands-sdk-llm-logs/tests/fixtures/llm_data/llm-logs",
         "llamafactory-chat/data/*.jsonl", "adp-samples/datasets/agenttuning_*/sample_raw.json",
         "adp-samples/datasets/codeactinstruct/sample_raw.json",
         "adp-samples/datasets/mini-coder/sample_raw.json",
         "adp-samples/datasets/orca_agentinstruct/sample_raw.json",
         "adp-samples/datasets/toucan_1_5m/sample_raw.json",
         "record-type-coverage/Resources/Fixtures/session_*.jsonl"]

_FENCE = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL)
_CODE = re.compile(r"<returncode>(-?\d+)</returncode>")
_LISTS = ("messages", "conversations", "chosen_messages", "rejected_messages")


def read(path):
    """Returns the sessions of one file, or the one that a folder of logs holds."""
    if path.is_dir():
        return [_longest([s for file in sorted(path.iterdir()) for s in read(file)])]
    text = read_text(path)
    if text.lstrip().startswith("["):
        rows = json.loads(text)
        if rows and "role" in rows[0]:
            return [_session([(rows, text, [], None)])]
        return [_row(row, text, [index]) for index, row in enumerate(rows)]
    if path.suffix == ".jsonl":
        rows = list(records(text))
        if "role" in rows[0][2]:
            return [_messages(rows)]
        return [_row(value, part, []) for _, part, value in rows]
    return [_row(json.loads(text), text, [])]


def _messages(rows):
    """One message a line; calls and results are lines of their own, and have no ids."""
    session = Session(FORMAT, loose=frozenset({"ids"}))
    messages = []
    for line, text, record in rows:
        place = f"line {line}"
        kind = record.get("type")
        if kind == "tool_call":
            function = record["function"]
            messages.append(Message("assistant", "", place, [
                Call(None, function["name"], json_text(record["arguments"], text, ["arguments"]))]))
        elif kind == "tool_result":
            messages.append(Message("tool", record["result"], place))
        elif "role" in record:
            messages += turns_of(record, place, text, [])
        else:
            session.passed_over(kind)
    name_calls(messages)
    session.branches = [Branch(messages)]
    return session


def _longest(sessions):
    """Returns the session that holds all others, each of which is the front of the next."""
    sessions.sort(key=lambda s: len(s.branches[0].messages))
    for shorter, longer in zip(sessions, sessions[1:]):
        front = longer.branches[0].messages
        for one, other in zip(shorter.branches[0].messages, front):
            assert (one.kind, one.text) == (other.kind, other.text), f"{one.place}: not a front"
            other.usage = other.usage or one.usage
    return sessions[-1]


def _row(row, text, path):
    lists = [(row[key], text, path + [key], row) for key in _LISTS
             if isinstance(row.get(key), list)]
    return _session(lists)


def _session(lists):
    session = Session(FORMAT)
    for given, text, path, row in lists:
        messages = []
        for index, record in enumerate(given):
            place = ".".join(map(str, path + [index]))
            messages += _parts(record, place, text, path + [index]) or turns_of(
                record, place, text, path + [index])
        if row and isinstance(row.get("response"), dict):
            messages += _response(row, text, path[:-1])
        if _by_text(messages):
            session.loose = frozenset({"ids", "text", "members"})
        elif any(c.id is None for m in messages for c in m.calls):
            session.loose = frozenset({"ids"})
        name_calls(messages)
        _count_edits(messages)
        session.branches.append(Branch(messages))
    return session


def _parts(record, place, text, path):
    """Returns the messages of a record whose parts are LLaMA-Factory's, or nothing."""
    content = record.get("content")
    if not (isinstance(content, list) and content
            and all(isinstance(p, dict) and isinstance(p.get("value"), str) for p in content)):
        return None
    if record["role"] != "assistant":
        return None
    turns = []
    answer = Message("assistant", "", place)
    for part in content:
        if part["type"] == "reasoning":
            turns.append(Message("reasoning", part["value"], place))
        elif part["type"] == "tool_call":
            value = json.loads(part["value"])
            given = value["arguments"]
            answer.calls.append(Call(None, value["name"], given if isinstance(given, str)
                                     else slice_of(part["value"], ["arguments"])))
        elif part["type"] == "text":
            answer.text += part["value"]
        else:
            raise ValueError(f"part {part['type']} at {place}")
    return turns + ([answer] if answer.text or answer.calls else [])


def _response(row, text, path):
    """Returns the answer of a log. (`raw_response`, if there, has the same as a block of text.)"""
    response = row["response"]
    turns = turns_of(response["choices"][0]["message"], "response", text,
                     path + ["response", "choices", 0, "message"])
    turns[-1].usage = usage_of(response.get("usage"))
    return turns


def _count_edits(messages):
    """Counts the lines of edits; of one whose result is not plainly a success, demands nothing."""
    said = {m.call_id: m.text for m in messages if m.kind == "tool"}
    for message in messages:
        for call in message.calls:
            if call.name == "str_replace_editor":
                call.edits = edits_of(call)
                if call.edits and not said.get(call.id, "").startswith(("The file ", "File ")):
                    call.edits = "any"


def _by_text(messages):
    """Makes calls and results of the blocks in answers; false where there are none.

    Blocks `<function=…>` are calls. A block of bash is one if what its command gave follows.
    """
    found = False
    waiting = None
    for message, follower in zip(messages, messages[1:] + [Message("end")]):
        if message.kind == "assistant" and not message.calls:
            waiting = None
            block = block_of(message.text)
            fences = _FENCE.findall(message.text)
            if block:
                waiting = call_of(block, f"call of {message.place}")
            elif len(fences) == 1 and follower.text.startswith("<returncode>"):
                waiting = Call(f"call of {message.place}", "bash",
                               json.dumps({"command": fences[0]}))
            if waiting is not None:
                message.calls = [waiting]
                message.calls_in_text = found = True
        elif waiting is not None and message.kind == "user" and (
                result_of(message.text, waiting) or _CODE.match(message.text)):
            message.kind = "tool"
            message.call_id = waiting.id
            code = _CODE.match(message.text)
            message.exit_code = int(code.group(1)) if code else None
            waiting = None
    return found
