"""Calls as blocks in a model's text: `<function=NAME><parameter=KEY>VALUE</parameter></function>`.

OpenHands asks models without calls of their own to write so, and data sets kept it
(https://github.com/All-Hands-AI/OpenHands/blob/main/openhands/llm/fn_call_converter.py). The model
stops at `</function`, so the end of the block may be missing; the result comes as a message of the
user, `EXECUTION RESULT of [NAME]:`. Not a reader.
"""

import json
import re

from model import Call

_BLOCK = re.compile(r"<function=([^>\s]+)>(.*?)(?:</function>|\Z)", re.DOTALL)
_PARAMETER = re.compile(r"<parameter=([^>\s]+)>(.*?)</parameter>", re.DOTALL)


def block_of(text):
    """Returns the block that is a call, or nothing."""
    match = _BLOCK.search(text)
    return match.group(0) if match else None


def call_of(block, call_id):
    """Returns the call that a block is; its arguments are those members as JSON."""
    match = _BLOCK.search(block)
    members = {key: value.strip("\n") for key, value in _PARAMETER.findall(match.group(2))}
    return Call(call_id, match.group(1), json.dumps(members))


def result_of(text, call):
    """True if a message of the user is the result of a call."""
    return text.startswith(f"EXECUTION RESULT of [{call.name}]")
