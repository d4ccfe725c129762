"""What `opencode export` writes: one JSON document, `{info, messages: [{info, parts}]}`.

From the files, and from packages/opencode/src/session/message-v2.ts of github.com/sst/opencode. An
assistant message has one or more steps; each step is one answer: its reasoning, texts and calls,
whose results are in the call's `state`. `step-finish` has the step's tokens.
"""

import json

from model import Branch, Call, Edit, Message, Session, Usage, lines_of
from rawjson import read_text, slice_of

FORMAT = "opencode"
PATHS = ["opencode-prsui/*/*.jsonl"]

_PASSED = ("step-start", "snapshot", "patch", "agent", "retry", "subtask")


def read(path):
    """Returns the session of one export."""
    text = read_text(path)
    document = json.loads(text)
    session = Session(FORMAT, document["info"].get("id"))
    branch = Branch(suffix="")
    session.branches.append(branch)
    for index, message in enumerate(document["messages"]):
        place = f"messages[{index}]"
        slice_ = slice_of(text, ["messages", index])
        if message["info"]["role"] == "user":
            branch.messages += _user(session, place, message["parts"])
        else:
            branch.messages += _steps(session, place, slice_, message)
    return [session]


def _user(session, place, parts):
    """Returns what the user typed as one message, and each part that the program put in
    (`synthetic`), such as a file that was named, as one."""
    messages = []
    typed = None
    for index, part in enumerate(parts):
        here = f"{place}.parts[{index}]"
        if part["type"] == "text" and part.get("synthetic"):
            messages.append(Message("user", part.get("text") or "", here))
            continue
        data = (part.get("url") or "").startswith("data:")
        if part["type"] == "text" or data:
            if typed is None:
                typed = Message("user", place=here)
                messages.append(typed)
            typed.text += part.get("text") or ""
            typed.pictures += [part["url"].split(",", 1)[1]] if data else []
        else:
            session.passed_over(f"part/{part['type']}")
    return messages


def _steps(session, place, text, message):
    messages = []
    step, results = [], []
    answer = None

    def finish(tokens=None):
        nonlocal step, results, answer
        if step:
            step[-1].usage = _usage(tokens)
        messages.extend(step + results)
        step, results, answer = [], [], None

    for index, part in enumerate(message["parts"]):
        kind = part["type"]
        here = f"{place}.parts[{index}]"
        if kind == "reasoning":
            step.append(Message("reasoning", part.get("text") or "", here,
                                signatures=_signatures(part.get("metadata"))))
        elif kind in ("text", "tool"):
            if answer is None:
                answer = Message("assistant", place=here)
                step.append(answer)
            if kind == "text":
                answer.text += part.get("text") or ""
                continue
            state = part["state"]
            arguments = slice_of(text, ["parts", index, "state", "input"])
            answer.calls.append(Call(part["callID"], part["tool"], arguments, _edits(part)))
            if state["status"] in ("completed", "error"):
                said = state.get("output" if state["status"] == "completed" else "error") or ""
                results.append(Message("tool", said, here, call_id=part["callID"],
                                       exit_code=(state.get("metadata") or {}).get("exit"),
                                       is_error=state["status"] == "error"))
        elif kind == "step-finish":
            session.passed_over("part/step-finish")
            finish(part.get("tokens"))
        else:
            session.passed_over(f"part/{kind}")
    finish(None if any(p["type"] == "step-finish" for p in message["parts"])
           else message["info"].get("tokens"))
    return messages


def _numbers(tokens):
    tokens = tokens or {}
    cache = tokens.get("cache") or {}
    return [tokens.get(k) or 0 for k in ("input", "output", "reasoning")] + [
        cache.get("read") or 0, cache.get("write") or 0]


def _signatures(metadata):
    found = []
    for value in (metadata or {}).values():
        if isinstance(value, dict):
            found += [value[k] for k in ("signature", "reasoningEncryptedContent") if value.get(k)]
    return found


def _usage(tokens):
    if not tokens:
        return None
    given, said, reasoning, cached, written = _numbers(tokens)
    return Usage(given, said + reasoning, cached, written, reasoning, raw=tokens)


def _edits(part):
    if part["tool"] not in ("edit", "write", "multiedit", "patch"):
        return None
    state = part["state"]
    if state["status"] != "completed":
        return []
    path = state["input"].get("filePath")
    metadata = state.get("metadata") or {}
    if metadata.get("filediff"):
        diff = metadata["filediff"]
        return [Edit(path, diff["additions"], diff["deletions"])]
    if part["tool"] == "write":
        return [Edit(path, lines_of(state["input"].get("content") or ""),
                     None if metadata.get("exists") else 0)]
    return [Edit(path, None, None)]
