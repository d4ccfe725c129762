"""SWE-agent's trajectories (.traj): one JSON document.

From the files, and https://swe-agent.com/latest/usage/trajectories/. `history` is what was sent: a
system prompt, demonstrations, the task, then answers and observations in turn. An answer has its
command in `action`: it was cut out of the text, or made of a call of the model. `trajectory` has a
step for each command that was run; the last may be here alone, for a run ends with its command.
"""

import json

from model import Branch, Call, Message, Session

from ._chat import loads, text_of, turns_of

FORMAT = "swe-agent"
PATHS = ["swe-agent/**/*.traj"]


def read(path):
    """Returns the session of one file."""
    text, document = loads(path)
    session = Session(FORMAT)
    messages = []
    waiting = None  # the answer whose command has no result yet
    history = document.get("history") or []
    by_text = not any(m.get("tool_calls") for m in history)
    for index, record in enumerate(history):
        place = f"history[{index}]"
        role = record["role"]
        if role == "assistant":
            answer = turns_of(record, place, text, ["history", index])
            messages += answer
            waiting = answer[-1]
            for call in waiting.calls:
                if call.name in ("create", "edit", "insert"):
                    call.edits = "any"  # Of the open file; its text says more.
            if by_text and isinstance(record.get("action"), str):
                _command(waiting, record["action"])
        elif role == "tool" and record.get("tool_call_ids"):
            messages.append(Message("tool", text_of(record["content"]), place,
                                    call_id=record["tool_call_ids"][0]))
            waiting = None
        elif waiting is not None and waiting.calls and not record.get("is_demo"):
            messages.append(Message("tool", text_of(record["content"]), place,
                                    call_id=waiting.calls[0].id))
            waiting = None
        else:
            messages += turns_of(record, place, text, ["history", index])
    if by_text:
        session.loose = frozenset({"ids", "text", "members"})
    answered = sum(m.kind == "assistant" for m in messages)
    steps = document.get("trajectory") or []
    for index, step in enumerate(steps[answered - bool(waiting):] if history else steps,
                                 answered - bool(waiting) if history else 0):
        place = f"trajectory[{index}]"
        if waiting is None:
            waiting = Message("assistant", step.get("response") or "", place)
            messages.append(waiting)
            _command(waiting, step.get("action") or "")
            if not by_text:
                # The history has calls; of this one only the command is left.
                session.loose = frozenset({"ids", "text", "members"})
        if waiting.calls:
            messages.append(Message("tool", step.get("observation") or "", place,
                                    call_id=waiting.calls[0].id))
        waiting = None
    session.branches = [Branch(messages)]
    return [session]


def _command(answer, action):
    """Makes a call of a command that stands in the text of an answer: it went to a shell."""
    if action:
        given = json.dumps({"command": action.strip()})
        answer.calls = [Call(f"call of {answer.place}", "bash", given, "any")]
        answer.calls_in_text = True
