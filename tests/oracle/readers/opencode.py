"""What `opencode export` writes: one JSON document, `{info, messages: [{info, parts}]}`. And OpenCode's database, whose rows
of the tables `session`, `message` and `part` have the same in columns and in JSON.

From the files, and from packages/opencode/src/session (message-v2.ts, compaction.ts, revert.ts)
of github.com/sst/opencode. An assistant message has one or more steps; each step is one answer:
its reasoning, texts and calls, whose results are in the call's `state`. `step-finish` has the
step's tokens and cost.

A user's part `compaction` asks for a summary, which is the answer with `summary` to that message.
It stands before the messages from `tail_start_id` on; nothing else stays. A `subtask` is told to
the model in fixed words. `ignored` texts are not sent. `info.revert` takes back the messages from
`messageID` on, or the parts from `partID` on and the messages after them.
"""

import json
import pathlib
import sqlite3

from model import Branch, Call, Edit, Message, Session, Usage, lines_of
from rawjson import read_text, slice_of

FORMAT = "opencode"
PATHS = ["opencode-prsui/*/*.jsonl"]

_SUBTASK = "The following tool was executed by the user"


def read(path):
    """Returns the session of one export, or those of a database."""
    if pathlib.Path(path).suffix != ".db":
        return _sessions(read_text(path))
    return [session for text in exports_of(path) for session in _sessions(text)]


def exports_of(path):
    """Returns the exports of a database's sessions. A program may have it open."""
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        database.row_factory = sqlite3.Row
        return [_export(database, row) for row in database.execute("SELECT * FROM session ORDER BY time_created, id")]
    finally:
        database.close()


def _export(database, row):
    info = {"id": row["id"], "parentID": row["parent_id"], "title": row["title"],
            "revert": json.loads(row["revert"]) if row["revert"] else None}
    messages = []
    for message in database.execute("SELECT id, data FROM message WHERE session_id = ? ORDER BY time_created, id",
                                    [row["id"]]):
        parts = database.execute("SELECT id, data FROM part WHERE message_id = ? ORDER BY id", [message["id"]])
        texts = [_with(part["data"], {"id": part["id"]}) for part in parts]
        messages.append(f'{{"info":{_with(message["data"], {"id": message["id"], "sessionID": row["id"]})},'
                        f'"parts":[{",".join(texts)}]}}')
    return f'{{"info":{json.dumps(info)},"messages":[{",".join(messages)}]}}'


def _with(data, names):
    """Puts names into the text of an object whose other bytes stay."""
    return "{" + json.dumps(names)[1:-1] + "," + data.strip()[1:]


def _sessions(text):
    document = json.loads(text)
    session = Session(FORMAT, document["info"].get("id"))
    messages = _messages(session, text, document["messages"])
    revert = document["info"].get("revert")
    if revert:
        left = _messages(Session(FORMAT), text, _left_by(document, revert))
        if left:
            session.branches.append(Branch(left, suffix=""))
        messages = messages if left != messages else []
    if messages:
        session.branches.append(Branch(messages, suffix=None if revert else ""))
    return [session]


def _messages(session, text, documents):
    """Returns the messages of a whole session, with its compactions."""
    messages = []
    asked = {}  # id of the user's message that asked for a summary → what its part says stays
    first_of = {}  # id of a message → index of its first one
    for index, message in enumerate(documents):
        info = message["info"]
        place = f"messages[{index}]"
        first_of[info.get("id")] = len(messages)
        slice_ = slice_of(text, ["messages", index])
        if info["role"] == "user":
            for part in message["parts"]:
                if part["type"] == "compaction":
                    asked[info.get("id")] = part.get("tail_start_id")
            messages += _user(session, place, message["parts"])
        elif (info.get("summary") is True and info.get("finish") and not info.get("error")
              and info.get("parentID") in asked):
            tail = first_of.get(asked[info["parentID"]], len(messages))
            steps = _steps(session, place, slice_, message)
            summary = "".join(m.text for m in steps if m.kind == "assistant")
            messages.append(Message("compaction", summary, f"{place}.info",
                                    keeps=list(range(tail, len(messages))),
                                    usage=steps[-1].usage if steps else None))
        else:
            messages += _steps(session, place, slice_, message)
    return messages


def _left_by(document, revert):
    """Returns the messages that a revert leaves, the last one perhaps with its first parts only."""
    found = []
    for message in document["messages"]:
        if message["info"].get("id") == revert["messageID"]:
            ids = [part.get("id") for part in message["parts"]]
            if revert.get("partID") in ids:
                found.append({"info": {**message["info"], "tokens": None},
                              "parts": message["parts"][:ids.index(revert["partID"])]})
            break
        found.append(message)
    return found


def _user(session, place, parts):
    """Returns what the user typed as one message, and each part that the program put in
    (`synthetic`), such as a file that was named, as one."""
    messages = []
    typed = None
    for index, part in enumerate(parts):
        here = f"{place}.parts[{index}]"
        if part["type"] == "text" and part.get("ignored"):
            session.passed_over("ignored text")
            continue
        if part["type"] == "subtask":
            messages.append(Message("user", _SUBTASK, here))
            continue
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

    def finish(tokens=None, cost=None, here=place):
        nonlocal step, results, answer
        if tokens and not step:  # The model said nothing.
            step.append(Message("assistant", place=here))
        if step:
            step[-1].usage = _usage(tokens, cost)
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
            finish(part.get("tokens"), part.get("cost"), here)
        else:
            session.passed_over(f"part/{kind}")
    info = message["info"]
    if any(p["type"] == "step-finish" for p in message["parts"]):
        finish()
    else:
        finish(info.get("tokens"), info.get("cost"), f"{place}.info")
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
            found += [value[k] for k in ("signature", "redactedData", "reasoningEncryptedContent")
                      if value.get(k)]
    return found


def _usage(tokens, cost):
    if not tokens:
        return None
    given, said, reasoning, cached, written = _numbers(tokens)
    return Usage(given, said + reasoning, cached, written, reasoning, raw=tokens, cost=cost)


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
