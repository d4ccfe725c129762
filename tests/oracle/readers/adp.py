"""Agent Data Protocol: trajectories of actions and observations, standardized.

From https://github.com/neulab/agent-data-protocol (schema/). A trajectory has `content`: of class
`text_observation` (of the user, or of the environment), `web_observation`, `message_action`,
`api_action` (function and kwargs) and `code_action` (language and content), each action with a
`description`, which is the thought before it. What the environment shows after an action is its
result.
"""

import json

from model import Branch, Call, Message, Session
from rawjson import read_text, records, slice_of

FORMAT = "adp"
PATHS = ["adp-samples/datasets/*/sample_std.json"]


def read(path):
    """Returns a session for each trajectory: a document, a list of them, or one a line."""
    text = read_text(path)
    if path.suffix == ".jsonl":
        return [_session(value, part, []) for _, part, value in records(text)]
    value = json.loads(text)
    if isinstance(value, dict):
        return [_session(value, text, [])]
    return [_session(row, text, [index]) for index, row in enumerate(value)]


def _session(row, text, path):
    session = Session(FORMAT, loose=frozenset({"ids", "commands"}))
    messages = []
    waiting = None
    for index, part in enumerate(row["content"]):
        place = f"{row.get('id')}: content[{index}]"
        kind = part["class_"]
        inner = path + ["content", index]
        if kind == "message_action":
            thought = part.get("description")
            if thought:
                messages.append(Message("reasoning", thought, place))
            messages.append(Message("assistant", part["content"], place))
        elif kind in ("api_action", "code_action"):
            given = (slice_of(text, inner + ["kwargs"]) if kind == "api_action"
                     else part["content"])
            call = Call(f"call {index}", part.get("function") or part.get("language") or "code",
                        given)
            messages.append(Message("assistant", part.get("description") or "", place, [call]))
            waiting = call.id
            continue
        elif kind == "text_observation" and part.get("source") == "user":
            messages.append(Message("user", part["content"], place))
        else:
            said = part.get("content")
            if kind == "web_observation":
                said = part.get("axtree") or part.get("html") or ""
            messages.append(Message("tool" if waiting else "user", said or "", place,
                                    call_id=waiting))
        waiting = None
    session.branches = [Branch(messages)]
    return session
