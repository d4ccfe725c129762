"""mini-SWE-agent's trajectories (.traj.json): a list of messages, bare or in a document.

From the files, and https://mini-swe-agent.com/latest/usage/output_files/. Answers hold one block of
bash (up to version 1), or calls of the tool `bash` (`trajectory_format` 1.1 of version 2). What
follows an answer is the result of its command. The last message ends the run: it is what the last
command printed, and no model saw it (role `exit`).
"""

import json
import re

from model import Branch, Call, Message, Session

from ._chat import loads, text_of, turns_of, usage_of

FORMAT = "mini-swe-agent"
PATHS = ["mini-swe-agent/**/*.traj.json"]

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_CODE = re.compile(r"<returncode>(-?\d+)</returncode>")


def read(path):
    """Returns the session of one file."""
    text, document = loads(path)
    session = Session(FORMAT)
    front = [] if isinstance(document, list) else ["messages"]
    records = document if isinstance(document, list) else document["messages"]
    by_text = not any(m.get("tool_calls") for m in records)
    messages = []
    waiting = []  # calls that have no result yet
    for index, record in enumerate(records):
        place = f"messages[{index}]"
        extra = record.get("extra") or {}
        if record["role"] == "assistant":
            turns = turns_of(record, place, text, front + [index])
            messages += turns
            answer = turns[-1]
            answer.usage = usage_of((extra.get("response") or {}).get("usage"))
            found = _BLOCK.findall(answer.text) if by_text else []
            if len(found) == 1:
                answer.calls = [Call(f"call of {place}", "bash",
                                     json.dumps({"command": found[0]}))]
                answer.calls_in_text = True
            waiting = [c.id for c in answer.calls]
        elif waiting:
            said = record.get("tool_call_id")
            messages.append(Message("tool", text_of(record["content"]), place,
                                    call_id=said or waiting[0],
                                    exit_code=_exit_code(record, extra)))
            waiting.remove(messages[-1].call_id)
        elif record["role"] == "exit":
            session.passed_over("exit without a command")
        else:
            # An answer without a call is not sent again: the error is. Its tokens were spent.
            spent = usage_of((extra.get("response") or {}).get("usage"))
            if spent:
                messages.append(Message("assistant", place=place, usage=spent))
            messages += turns_of(record, place, text, front + [index])
    if by_text:
        session.loose = frozenset({"ids", "text", "members"})
    session.branches = [Branch(messages)]
    return [session]


def _exit_code(record, extra):
    if isinstance(extra.get("returncode"), int):
        return extra["returncode"]
    match = _CODE.match(record["content"]) if isinstance(record["content"], str) else None
    return int(match.group(1)) if match else None
